"""Reservations: the cost of each one, and the start of a further one that delays the optimum least."""
