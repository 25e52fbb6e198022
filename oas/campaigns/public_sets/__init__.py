"""Public benchmark sets with published optima as instances of MOSP: catalogue, files with checksums, formats."""
