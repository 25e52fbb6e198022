"""Exact search of co-allocation."""
