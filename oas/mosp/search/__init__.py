"""Local searches for MOSP: ruin and recreate, beams that it starts from, exact filling, and a search over orders."""
