"""Solvers in watched processes of their own: worker, protocol, supervision."""
