"""Measurements of co-allocation."""
