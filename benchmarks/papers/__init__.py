"""The papers' experiments, regenerated: ``python -m benchmarks.papers --help``."""
