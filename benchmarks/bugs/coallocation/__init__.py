"""Deliberate bugs in co-allocation and in code that both problems share, and the tests that have to notice."""
