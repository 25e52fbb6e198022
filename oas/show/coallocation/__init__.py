"""What notebooks show of co-allocation alone."""
