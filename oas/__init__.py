"""Proven optima for multi-cluster scheduling, compared with the standard heuristics.

Names are imported lazily: importing `oas` loads no solver, no Pyomo, no pandas and no plotting.
"""

from __future__ import annotations

from importlib import import_module

from oas._version import __version__ as __version__

TYPE_CHECKING = False  # type checkers take it for True; typing would triple the time until `oas` handles Ctrl-C
if TYPE_CHECKING:
    from oas import generate as generate
    from oas import logs as logs
    from oas import plots as plots
    from oas import testing as testing
    from oas.coallocation.exploration import explore as explore
    from oas.coallocation.instance import Cluster as Cluster
    from oas.coallocation.instance import CoallocationInstance as CoallocationInstance
    from oas.coallocation.instance import Job as Job
    from oas.coallocation.instance import NodeGroup as NodeGroup
    from oas.coallocation.saturation_price import price_of_saturation as price_of_saturation
    from oas.coallocation.slot_sizes.study import slot_study as slot_study
    from oas.core.errors import InputError as InputError
    from oas.core.errors import OasError as OasError
    from oas.core.result import Result as Result
    from oas.core.result import Status as Status
    from oas.core.result import Termination as Termination
    from oas.core.result import Trace as Trace
    from oas.core.rigid import Organization as Organization
    from oas.core.rigid import Reservation as Reservation
    from oas.core.rigid import RigidJob as RigidJob
    from oas.core.schedule import Placement as Placement
    from oas.core.schedule import Schedule as Schedule
    from oas.core.schedule_metrics import metrics as metrics
    from oas.core.verifier import verify as verify
    from oas.fair.instance import FairInstance as FairInstance
    from oas.fair.studies.fairness import fairness as fairness
    from oas.fair.studies.price import price_of_fairness as price_of_fairness
    from oas.io import load as load
    from oas.io import save as save
    from oas.io.reading import example_path as example_path
    from oas.io.reading import load_example as load_example
    from oas.logs.appraisal import appraise as appraise
    from oas.logs.simulation import simulate as simulate
    from oas.mosp.cooperation import price as price
    from oas.mosp.instance import MospInstance as MospInstance
    from oas.mosp.reservations.placement import place_reservation as place_reservation
    from oas.mosp.reservations.prices import price_reservations as price_reservations
    from oas.show.frames import schedule_from_frame as schedule_from_frame
    from oas.solving.comparison import compare as compare
    from oas.solving.pipeline import solve as solve
    from oas.solving.progress import SolveInterrupted as SolveInterrupted
    from oas.solving.user_model import model as model

_NAMES = {
    "oas.core.errors": ("InputError", "OasError"),
    "oas.core.result": ("Result", "Status", "Termination", "Trace"),
    "oas.core.schedule": ("Placement", "Schedule"),
    "oas.core.schedule_metrics": ("metrics",),
    "oas.core.verifier": ("verify",),
    "oas.solving.pipeline": ("solve",),
    "oas.solving.progress": ("SolveInterrupted",),
    "oas.solving.user_model": ("model",),
    "oas.io": ("load", "save"),
    "oas.io.reading": ("example_path", "load_example"),
    "oas.coallocation.instance": ("Cluster", "CoallocationInstance", "Job", "NodeGroup"),
    "oas.fair.instance": ("FairInstance",),
    "oas.mosp.instance": ("MospInstance",),
    "oas.core.rigid": ("Organization", "Reservation", "RigidJob"),
    "oas.show.frames": ("schedule_from_frame",),
    "oas.logs.appraisal": ("appraise",),
    "oas.solving.comparison": ("compare",),
    "oas.mosp.cooperation": ("price",),
    "oas.coallocation.exploration": ("explore",),
    "oas.fair.studies.fairness": ("fairness",),
    "oas.fair.studies.price": ("price_of_fairness",),
    "oas.mosp.reservations.placement": ("place_reservation",),
    "oas.mosp.reservations.prices": ("price_reservations",),
    "oas.coallocation.saturation_price": ("price_of_saturation",),
    "oas.logs.simulation": ("simulate",),
    "oas.coallocation.slot_sizes.study": ("slot_study",),
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
