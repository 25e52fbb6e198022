"""Robustness tests: hostile files, giant files, killed processes."""
