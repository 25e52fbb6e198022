"""Deliberate bugs in what MOSP has of its own, and the tests that have to notice."""
