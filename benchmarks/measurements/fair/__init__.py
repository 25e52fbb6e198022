"""Measurements of fair sharing."""
