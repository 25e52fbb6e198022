"""Lower bounds of identical machines."""
