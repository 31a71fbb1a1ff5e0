"""Readings of the chips over time, and what a person should look at."""
