"""Exact optima of fair scheduling by contribution: brute force, and answers of models, verified."""
