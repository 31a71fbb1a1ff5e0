"""Colour themes, one TOML each."""
