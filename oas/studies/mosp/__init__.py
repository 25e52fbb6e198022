"""Studies of MOSP alone, and its figures in those of every problem."""
