"""The databases of msprof and the framework profilers."""
