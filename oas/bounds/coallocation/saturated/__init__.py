"""The bound by shared links: configurations over time, saturated links slow their jobs down."""

from oas.bounds.coallocation.saturated.bound import NAME, SharedLinksBound, shared_links_bound
from oas.bounds.lower_bound import CertifiedBound
from oas.problems.coallocation.problem import MAX_MIN, SLOWDOWN

__all__ = ["BOUND", "SharedLinksBound", "shared_links_bound"]

BOUND = CertifiedBound(NAME, variants=(SLOWDOWN, MAX_MIN))
