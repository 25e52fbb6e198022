"""The registry of heuristics: those of the toolkit, of installed packages, and functions given by import path."""

from oas.solving.methods import as_method, find_heuristic, find_method, heuristic_names, methods, toolkit_methods

__all__ = ["as_method", "find_heuristic", "find_method", "heuristic_names", "methods", "toolkit_methods"]
