"""Exact search of co-allocation, and brute force."""
