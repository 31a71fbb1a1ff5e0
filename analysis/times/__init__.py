"""A run in time: sums, unions, gaps, steps, host calls."""
