"""Exact optima with proof for multi-cluster scheduling, compared with the standard heuristics.

Names are imported lazily: importing `oas` loads no solver, no Pyomo, no pandas and no plotting.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from oas._version import __version__ as __version__

if TYPE_CHECKING:
    from oas import generate as generate
    from oas import logs as logs
    from oas import plots as plots
    from oas import testing as testing
    from oas.core.errors import InputError as InputError
    from oas.core.errors import OasError as OasError
    from oas.core.result import Result as Result
    from oas.core.result import Status as Status
    from oas.core.result import Termination as Termination
    from oas.core.result import Trace as Trace
    from oas.core.schedule import Placement as Placement
    from oas.core.schedule import Schedule as Schedule
    from oas.core.schedule_metrics import metrics as metrics
    from oas.core.verifier import verify as verify
    from oas.exact.pipeline import solve as solve
    from oas.exact.progress import SolveInterrupted as SolveInterrupted
    from oas.io import load as load
    from oas.io import save as save
    from oas.io.reading import example_path as example_path
    from oas.io.reading import load_example as load_example
    from oas.problems.coallocation.instance import Cluster as Cluster
    from oas.problems.coallocation.instance import CoallocationInstance as CoallocationInstance
    from oas.problems.coallocation.instance import Job as Job
    from oas.problems.coallocation.instance import NodeGroup as NodeGroup
    from oas.problems.fair.instance import FairInstance as FairInstance
    from oas.problems.mosp.instance import MospInstance as MospInstance
    from oas.problems.rigid import Organization as Organization
    from oas.problems.rigid import Reservation as Reservation
    from oas.problems.rigid import RigidJob as RigidJob
    from oas.show.frames import schedule_from_frame as schedule_from_frame
    from oas.studies.appraisal import appraise as appraise
    from oas.studies.comparison import compare as compare
    from oas.studies.cooperation import price as price
    from oas.studies.explore.exploration import explore as explore
    from oas.studies.fair.fairness import fairness as fairness
    from oas.studies.fair.price import price_of_fairness as price_of_fairness
    from oas.studies.reservations.placement import place_reservation as place_reservation
    from oas.studies.reservations.prices import price_reservations as price_reservations
    from oas.studies.saturation_price import price_of_saturation as price_of_saturation
    from oas.studies.simulation import simulate as simulate
    from oas.studies.slot_sizes.study import slot_study as slot_study

_NAMES = {
    "oas.core.errors": ("InputError", "OasError"),
    "oas.core.result": ("Result", "Status", "Termination", "Trace"),
    "oas.core.schedule": ("Placement", "Schedule"),
    "oas.core.schedule_metrics": ("metrics",),
    "oas.core.verifier": ("verify",),
    "oas.exact.pipeline": ("solve",),
    "oas.exact.progress": ("SolveInterrupted",),
    "oas.io": ("load", "save"),
    "oas.io.reading": ("example_path", "load_example"),
    "oas.problems.coallocation.instance": ("Cluster", "CoallocationInstance", "Job", "NodeGroup"),
    "oas.problems.fair.instance": ("FairInstance",),
    "oas.problems.mosp.instance": ("MospInstance",),
    "oas.problems.rigid": ("Organization", "Reservation", "RigidJob"),
    "oas.show.frames": ("schedule_from_frame",),
    "oas.studies.appraisal": ("appraise",),
    "oas.studies.comparison": ("compare",),
    "oas.studies.cooperation": ("price",),
    "oas.studies.explore.exploration": ("explore",),
    "oas.studies.fair.fairness": ("fairness",),
    "oas.studies.fair.price": ("price_of_fairness",),
    "oas.studies.reservations.placement": ("place_reservation",),
    "oas.studies.reservations.prices": ("price_reservations",),
    "oas.studies.saturation_price": ("price_of_saturation",),
    "oas.studies.simulation": ("simulate",),
    "oas.studies.slot_sizes.study": ("slot_study",),
}
_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names}
_MODULES = ("generate", "logs", "plots", "testing")

__all__ = sorted([*_MODULE_OF, *_MODULES, "__version__"])


if not TYPE_CHECKING:  # so that a type checker reports names that do not exist

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module 'oas' has no attribute {name!r}")
        try:
            if name in _MODULES:
                return import_module(f"oas.{name}")
            return getattr(import_module(_MODULE_OF[name]), name)
        except (ImportError, AttributeError):
            from oas.core.user_code import check_not_hidden

            check_not_hidden()
            raise


def __dir__() -> list[str]:
    return list(__all__)
