"""Formulations: MIP models in Pyomo and models for CP-SAT, in a folder for each problem, and their registry."""
