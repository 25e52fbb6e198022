"""Exact search where saturated links slow jobs down."""
