"""Solvers behind one door: a task in, an outcome out. Nothing here knows scheduling."""
