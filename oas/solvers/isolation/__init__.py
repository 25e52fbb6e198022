"""Solvers in separate, supervised processes: worker, protocol, supervision."""
