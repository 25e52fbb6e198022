"""Exact search of MOSP, and brute force."""
