"""Local search: annealing over orders, levels and fill patterns, for schedules that list heuristics miss."""
