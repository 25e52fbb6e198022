"""The bound of a search by windows of starts that has refuted a makespan, for few jobs; it respects reservations.

Its certificate is the log of the search; `oas.bounds.windows` explains the rules and the log, and
`oas.checker.mosp_windows` the certificate and why it proves the bound.
"""

from oas.bounds.mosp.searched import SearchedBound

__all__ = ["BOUND", "windows_bound"]

BOUND = SearchedBound("windows", search="oas.bounds.mosp.windows.search:find_log")
windows_bound = BOUND
