"""Studies of co-allocation alone, and its figures in those of every problem."""
