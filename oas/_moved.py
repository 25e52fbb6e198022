"""Import paths before the restructuring into problem packages. They work for one release, with a warning."""

from __future__ import annotations

import sys
import warnings
from functools import partial
from importlib import import_module
from importlib.machinery import ModuleSpec

TYPE_CHECKING = False  # as in oas/__init__.py
if TYPE_CHECKING:
    from types import ModuleType

PROBLEMS = ("coallocation", "mosp", "fair")
# Old and new path; ``*`` is the name of a problem. A path also stands for all paths that begin with it.
MOVED = {
    "oas.problems.registry": "oas.core.registry",
    "oas.problems.rigid": "oas.core.rigid",
    "oas.exact": "oas.solving",
    "oas.bounds.lower_bound": "oas.solving.lower_bound",
    "oas.models.formulation": "oas.solving.formulation",
    "oas.io.logs": "oas.logs",
    "oas.studies.fair": "oas.fair.studies",
    "oas.studies.reservations": "oas.mosp.reservations",
    "oas.studies.slot_sizes": "oas.coallocation.slot_sizes",
    "oas.studies.saturation_price": "oas.coallocation.saturation_price",
    "oas.studies.cooperation": "oas.mosp.cooperation",
    "oas.studies.claims": "oas.claims",
    "oas.studies.appraisal": "oas.logs.appraisal",
    "oas.studies.window_appraisal": "oas.logs.window_appraisal",
    "oas.studies.simulation": "oas.logs.simulation",
    "oas.studies.comparison": "oas.solving.comparison",
    "oas.studies.study": "oas.solving.study",
    "heuristics.coallocation.search": "oas.coallocation.search",
    "heuristics.mosp.search": "oas.mosp.search",
    "heuristics.mosp.ticks": "oas.mosp.search.queueing",
    "heuristics.mosp.queueing": "oas.mosp.search.queueing",
    "heuristics.stream": "oas.queueing",
    "oas.core.generator": "oas.core.instances",
    "oas.core.stream": "oas.queueing.stream",
    "heuristics.fair.engine": "oas.fair.search.engine",
    "heuristics.fair.certificate": "oas.fair.search.certificate",
    "oas.exact.coallocation.brute_force": "oas.solving.brute_force",
    "oas.exact.mosp.brute_force": "oas.solving.brute_force",
    "oas.problems.*": "oas.*",
    "oas.bounds.*": "oas.*.bounds",
    "oas.exact.*": "oas.*.exact",
    "oas.models.*": "oas.*.models",
    "oas.generate.*": "oas.*.generate",
    "oas.plots.*": "oas.*.plots",
    "oas.io.*": "oas.*.document",
}
# Packages that are gone, and whose modules went to different packages.
GONE = ("oas.problems", "oas.bounds", "oas.models", "oas.studies")


def new_path(old: str) -> str | None:
    """Return the present path of a module that has moved; empty for a package that is gone, None for other paths."""
    parts = old.split(".")
    for count in range(len(parts), 1, -1):
        head = parts[:count]
        problem = next((name for name in PROBLEMS if name in head), "")
        pattern = ".".join("*" if part == problem else part for part in head)
        for known in (".".join(head), pattern):
            if known in MOVED:
                return ".".join([MOVED[known].replace("*", problem), *parts[count:]])
    return "" if old in GONE else None


class MovedFinder:
    """Import a module by its old path: a module that takes all names from the present one."""

    def find_spec(self, fullname: str, path: object, target: object = None) -> ModuleSpec | None:
        """Return the specification of a module that has moved; None for other modules."""
        return None if new_path(fullname) is None else ModuleSpec(fullname, self, is_package=True)  # type: ignore[arg-type]

    def create_module(self, _spec: ModuleSpec) -> None:
        """Let Python make the module."""

    def exec_module(self, module: ModuleType) -> None:
        """Let the module take its names from the present one, and warn."""
        new = new_path(module.__name__)
        if new:
            text = f"{module.__name__} is now {new}; the old path will be removed"
            warnings.warn(text, DeprecationWarning, stacklevel=2)
            module.__getattr__ = partial(getattr, import_module(new))  # type: ignore[method-assign]


sys.meta_path.append(MovedFinder())
