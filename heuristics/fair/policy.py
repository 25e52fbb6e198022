"""On-line policies of fair sharing, for authors of new ones: interface, base class, and functions that run them."""

from oas.fair.search.engine import method_of, run_policy
from oas.fair.search.policy import Policy, PolicyError, PolicyFactory, Watcher

__all__ = ["Policy", "PolicyError", "PolicyFactory", "Watcher", "method_of", "run_policy"]
