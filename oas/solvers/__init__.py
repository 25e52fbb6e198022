"""Adapters to solvers, independent of scheduling: the name of a model builder in, an `Outcome` out.

Solves run in a worker process (`oas.solvers.isolation.worker`) that starts on first use and is supervised by this
process; `oas.solvers.isolation.client.run` is the entry point. Outcomes are unverified claims of the solver.
"""
