"""Ways to the same optimum, on random tiny instances: brute force, formulations, solvers."""
