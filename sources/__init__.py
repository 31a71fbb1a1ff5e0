"""Where readings and profiles come from. Threads with a callback; no screen."""
