"""Common parts of the benchmarks of both problems: instances by `oas.solve`, then by CP-SAT, rows that can be resumed."""
