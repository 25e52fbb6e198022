"""What the benchmarks of both problems share: instances by `oas.solve`, then by CP-SAT, rows that can be resumed."""
