"""Agreement on random instances of fair sharing."""
