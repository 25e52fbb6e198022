"""The configuration bound: sets of jobs that can run together, their levels chosen, each moment packed exactly."""

from oas.bounds.coallocation.configurations.bound import NAME, ConfigurationBound, Dual, configuration_bound
from oas.bounds.lower_bound import CertifiedBound
from oas.problems.coallocation.problem import FORBID, MAX_MIN, SLOWDOWN

__all__ = ["BOUND", "ConfigurationBound", "Dual", "configuration_bound"]

BOUND = CertifiedBound(NAME, variants=(FORBID, SLOWDOWN, MAX_MIN))
