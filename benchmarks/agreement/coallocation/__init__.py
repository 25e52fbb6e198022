"""Agreement on random instances of co-allocation."""
