"""Odd shapes of MOSP."""
