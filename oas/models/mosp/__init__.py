"""Pyomo models of the multi-organization scheduling problem."""
