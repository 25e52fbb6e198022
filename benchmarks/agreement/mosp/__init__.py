"""Agreement on random instances of MOSP."""
