"""The registry of heuristics: those of the toolkit, of installed packages, and functions given by import path."""

from oas.core.renamed import renamed_functions
from oas.solving.methods import as_method, find_heuristic, find_method, heuristic_names, methods, toolkit_methods

__all__ = ["as_method", "find_heuristic", "find_method", "heuristic_names", "methods", "toolkit_methods"]
__getattr__ = renamed_functions(globals(), {"own_methods": "toolkit_methods"})
