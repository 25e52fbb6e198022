"""The solve pipeline of every problem: start, bounds, exact search, model, verification, and comparisons."""
