"""Chronological search: a complete integer search for a schedule of given makespan, without a solver."""
