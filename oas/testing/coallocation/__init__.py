"""The test kit for heuristics of co-allocation."""
