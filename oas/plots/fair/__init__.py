"""Charts of fair sharing alone."""
