"""The ranks of one job against each other: which is late, by what, and who only waits."""
