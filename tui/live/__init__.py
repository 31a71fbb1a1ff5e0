"""What the Live screen shows, as pure state and lines."""
