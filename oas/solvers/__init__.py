"""Solvers: a named builder of a model in, an `Outcome` out. Nothing here knows scheduling.

Solves run in a separate worker process (`oas.solvers.isolation.worker`) that is started on first use and watched from
outside; `oas.solvers.isolation.client.run` is the door. What a solver says is handed on as its word: callers verify it.
"""
