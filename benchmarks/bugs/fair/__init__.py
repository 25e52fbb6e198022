"""Deliberate bugs in what fair sharing has of its own, and the tests that have to notice."""
