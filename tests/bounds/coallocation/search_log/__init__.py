"""Tests of the search log."""
