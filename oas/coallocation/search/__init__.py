"""Local search for co-allocated jobs: annealing and beam search."""
