"""Which runs lie in a folder, and in what state."""
