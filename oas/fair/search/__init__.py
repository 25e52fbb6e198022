"""Schedules of coalitions: REF with its certificate, sampled contributions, and the engine for on-line policies."""
