"""The formulations of MOSP; the first of each family of solvers is its default."""

from __future__ import annotations

from oas.mosp.models import axis_pumpkin, cumulative_cpsat, start_indexed

FORMULATIONS = (start_indexed.FORMULATION, cumulative_cpsat.FORMULATION, axis_pumpkin.FORMULATION)
