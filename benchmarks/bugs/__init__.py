"""Deliberate bugs, put in one at a time: each has to make a test fail."""
