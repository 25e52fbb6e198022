"""Odd shapes of co-allocation."""
