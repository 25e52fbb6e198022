"""Models of the co-allocation problem: literal and start-indexed in Pyomo, counts for CP-SAT."""
