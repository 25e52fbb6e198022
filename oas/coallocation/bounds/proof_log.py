"""The bound by a proof log of the solver Exact, found by the formulation ``runs``."""

from __future__ import annotations

from oas.solving.lower_bound import CertifiedBound

BOUND = CertifiedBound("proof log")
