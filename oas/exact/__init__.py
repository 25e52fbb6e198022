"""The exact pipeline: start, bounds, model, verification."""
