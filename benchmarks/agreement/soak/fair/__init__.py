"""Odd shapes of fair sharing, and what is held against brute force there."""
