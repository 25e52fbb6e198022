"""Statements of the papers' experiments, judged from ledgers of campaigns: ``python -m benchmarks.papers``."""
