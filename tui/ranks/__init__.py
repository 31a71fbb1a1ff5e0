"""What the rank screens show, and who asks for it."""
