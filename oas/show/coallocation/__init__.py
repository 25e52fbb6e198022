"""Views of co-allocation alone."""
