"""The three lines that one reads first of a run."""
