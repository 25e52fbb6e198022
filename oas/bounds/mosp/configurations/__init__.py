"""The configuration bound: jobs preempted and moved at will, but packed exactly at each moment."""

from oas.bounds.lower_bound import CertifiedBound
from oas.bounds.mosp.configurations.bound import NAME, ConfigurationBound, configuration_bound

__all__ = ["BOUND", "ConfigurationBound", "configuration_bound"]

BOUND = CertifiedBound(NAME)
