"""Exact search for instances whose saturated links slow jobs down."""
