"""Heuristics of co-allocation: one module exporting METHOD is one heuristic."""
