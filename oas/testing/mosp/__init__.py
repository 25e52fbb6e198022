"""The test kit for heuristics of MOSP."""
