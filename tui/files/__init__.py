"""What the Files screens show, and who asks for it."""
