"""Pyomo models."""
