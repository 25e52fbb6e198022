"""Exact search of MOSP."""
