"""One bottleneck class a file."""
