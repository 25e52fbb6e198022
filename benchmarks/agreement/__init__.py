"""Agreement of brute force, formulations and solvers on the optima of random tiny instances."""
