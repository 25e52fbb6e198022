"""Pyomo models of the co-allocation problem."""
