"""Chronological search: is there a schedule of at most so many ticks? Complete, in integers, without a solver."""
