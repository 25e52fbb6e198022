"""The two-dimensional bound: jobs weighed in time and in processors at once, which uses the deadlines of locality."""

from oas.bounds.mosp.searched import SearchedBound

__all__ = ["BOUND", "two_dimensional_bound"]

BOUND = SearchedBound("two-dimensional", search="oas.bounds.mosp.two_dimensional.alternation:find_scales")
two_dimensional_bound = BOUND
