"""What the lists of runs show, and who asks for it."""
