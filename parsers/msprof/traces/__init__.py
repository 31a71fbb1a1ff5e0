"""Timelines, read in blocks whatever their size."""
