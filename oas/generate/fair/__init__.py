"""Generators of instances of fair sharing."""
