"""Measurements of MOSP."""
