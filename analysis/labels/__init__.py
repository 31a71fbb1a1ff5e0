"""Counters and floors into labels, with what makes them believable and what to try next."""
