"""Views of fair sharing alone."""
