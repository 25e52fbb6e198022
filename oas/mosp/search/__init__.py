"""Local searches for MOSP: ruin and recreate, beams that it starts from, and a search over orders."""
