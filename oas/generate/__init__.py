"""Seeded instance generators, one a file."""
