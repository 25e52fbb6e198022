"""Local search for MOSP: ruin and recreate, and a search over orders."""
