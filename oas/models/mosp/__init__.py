"""Models of the multi-organization scheduling problem: start-indexed in Pyomo, cumulative for CP-SAT."""
