"""Solvers: a named builder of a model in, an `Outcome` out. Nothing here depends on scheduling.

Solves run in a separate worker process (`oas.solvers.isolation.worker`) that is started on first use and watched from
outside; `oas.solvers.isolation.client.run` is the entry point. Outcomes are a solver's claims: callers verify them.
"""
