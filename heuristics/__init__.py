"""Heuristics: one module exporting METHOD is one heuristic."""
