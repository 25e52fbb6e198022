"""Bounds on what schedules of fair sharing come to, greedy or not: integers, without a solver."""
