"""What an operator must move and compute, from its shapes, and the least time that takes."""
