"""Views of MOSP alone."""
