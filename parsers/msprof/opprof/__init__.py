"""Folders of `msprof op`: launches, cores, the simulator, and the vendor's words."""
