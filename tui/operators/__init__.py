"""What the Operators screen and the drill-down show, as pure state and lines."""
