"""Measurements and long checks behind the figures in the documentation."""
