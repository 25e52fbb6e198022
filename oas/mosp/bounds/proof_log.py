"""The bound by a proof log of the solver Pumpkin, found by the formulation ``axis``."""

from __future__ import annotations

from oas.solving.lower_bound import CertifiedBound

BOUND = CertifiedBound("proof log")
