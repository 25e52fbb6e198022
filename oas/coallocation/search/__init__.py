"""Local search for co-allocated jobs: annealing, and ruin and recreate."""
