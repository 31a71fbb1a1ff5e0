"""Records into bounds, labels, gaps and findings. Pure functions."""
