"""What notebooks show of MOSP alone."""
