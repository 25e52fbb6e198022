"""The two-dimensional bound: jobs weighed in time and in processors at once, which uses the deadlines of locality."""

from oas.bounds.lower_bound import CertifiedBound
from oas.bounds.mosp.two_dimensional.bound import NAME, two_dimensional_bound
from oas.bounds.mosp.two_dimensional.certificate import value

__all__ = ["BOUND", "two_dimensional_bound"]

BOUND = CertifiedBound(NAME, value)
