"""Exact optima with proof for multi-cluster scheduling, beside every heuristic of the field.

Names are imported lazily: importing `oas` loads no solver, no Pyomo, no pandas and no plotting.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from oas._version import __version__

if TYPE_CHECKING:
    from oas import generate, logs, plots, testing
    from oas.core.errors import InputError, OasError
    from oas.core.result import Result, Status, Termination, Trace
    from oas.core.schedule import Placement, Schedule
    from oas.core.schedule_metrics import metrics
    from oas.core.verifier import verify
    from oas.exact.pipeline import solve
    from oas.exact.progress import SolveInterrupted
    from oas.io import load, save
    from oas.io.reading import example_path, load_example
    from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
    from oas.problems.fair.instance import FairInstance
    from oas.problems.mosp.instance import MospInstance
    from oas.problems.rigid import Organization, Reservation, RigidJob
    from oas.studies.appraisal import appraise
    from oas.studies.comparison import compare
    from oas.studies.cooperation import price
    from oas.studies.fair.fairness import fairness
    from oas.studies.fair.price import price_of_fairness
    from oas.studies.reservations.placement import place_reservation
    from oas.studies.reservations.prices import price_reservations
    from oas.studies.saturation_price import price_of_saturation
    from oas.studies.simulation import simulate
    from oas.studies.slot_sizes.study import slot_study

_HOME = {
    "Cluster": "oas.problems.coallocation.instance",
    "CoallocationInstance": "oas.problems.coallocation.instance",
    "FairInstance": "oas.problems.fair.instance",
    "InputError": "oas.core.errors",
    "Job": "oas.problems.coallocation.instance",
    "NodeGroup": "oas.problems.coallocation.instance",
    "OasError": "oas.core.errors",
    "MospInstance": "oas.problems.mosp.instance",
    "Organization": "oas.problems.rigid",
    "Reservation": "oas.problems.rigid",
    "RigidJob": "oas.problems.rigid",
    "appraise": "oas.studies.appraisal",
    "compare": "oas.studies.comparison",
    "fairness": "oas.studies.fair.fairness",
    "place_reservation": "oas.studies.reservations.placement",
    "price": "oas.studies.cooperation",
    "price_of_fairness": "oas.studies.fair.price",
    "price_of_saturation": "oas.studies.saturation_price",
    "price_reservations": "oas.studies.reservations.prices",
    "simulate": "oas.studies.simulation",
    "slot_study": "oas.studies.slot_sizes.study",
    "load": "oas.io",
    "example_path": "oas.io.reading",
    "load_example": "oas.io.reading",
    "metrics": "oas.core.schedule_metrics",
    "save": "oas.io",
    "SolveInterrupted": "oas.exact.progress",
    "solve": "oas.exact.pipeline",
    "Placement": "oas.core.schedule",
    "Result": "oas.core.result",
    "Schedule": "oas.core.schedule",
    "Status": "oas.core.result",
    "Termination": "oas.core.result",
    "Trace": "oas.core.result",
    "verify": "oas.core.verifier",
}
_ROOMS = ("generate", "logs", "plots", "testing")

__all__ = [
    "Cluster",
    "CoallocationInstance",
    "FairInstance",
    "InputError",
    "Job",
    "MospInstance",
    "NodeGroup",
    "OasError",
    "Organization",
    "Placement",
    "Reservation",
    "Result",
    "RigidJob",
    "Schedule",
    "SolveInterrupted",
    "Status",
    "Termination",
    "Trace",
    "__version__",
    "appraise",
    "compare",
    "example_path",
    "fairness",
    "generate",
    "load",
    "load_example",
    "logs",
    "metrics",
    "place_reservation",
    "plots",
    "price",
    "price_of_fairness",
    "price_of_saturation",
    "price_reservations",
    "save",
    "simulate",
    "slot_study",
    "solve",
    "testing",
    "verify",
]


if not TYPE_CHECKING:  # so that a type checker reports names that do not exist

    def __getattr__(name: str) -> object:
        if name not in _HOME and name not in _ROOMS:
            raise AttributeError(f"module 'oas' has no attribute {name!r}")
        try:
            return getattr(import_module(_HOME[name]), name) if name in _HOME else import_module(f"oas.{name}")
        except (ImportError, AttributeError):
            from oas.core.user_code import check_not_hidden

            check_not_hidden()
            raise


def __dir__() -> list[str]:
    return sorted([*_HOME, *_ROOMS, "__version__"])
