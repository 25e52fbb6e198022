"""Free processors over time: the one data structure under all heuristics for rigid jobs."""
