"""Common parts of both problems' benchmarks: instances by `oas.solve`, then by CP-SAT, rows that can be resumed."""
