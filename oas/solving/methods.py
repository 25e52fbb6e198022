"""Registry of heuristics: the toolkit's (modules with METHOD), installed ones, and user code by dotted name."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, TypeVar

from oas.core.errors import InputError, naming, unknown_name
from oas.core.problem import problem_of
from oas.core.registry import problems
from oas.core.user_code import announce, check_not_own, working_folder
from oas.solving.method import Heuristic, Method, MethodFamily, Scheduler

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.metadata import EntryPoint

    from oas.core.instances import Instance
    from oas.core.problem import Problem

Exported = TypeVar("Exported")
AnyHeuristic = str | Method | Heuristic | Scheduler  # a name, a method or a function
ENTRY_POINTS = "oas.heuristics"
_FURTHER = "package.module:function"
ALL_VARIANTS = "every"
"""Placeholder for a variant of a problem: lists the heuristics of all variants."""


@cache
def toolkit_methods(problem: object, variant: str | None = None) -> tuple[Method, ...]:
    """Return the toolkit's heuristics for `problem`, in listing order; parameters as in `methods`.

    They are exported as METHOD or METHODS by the modules of the problem's package of heuristics.
    """
    target = problem_of(problem)
    exported = (replace(method, problem=target) for method in _exported(target, Method, "METHOD", "METHODS"))
    supported = (method for method in exported if _knows(method, target, variant))
    return tuple(sorted(supported, key=lambda method: (method.rank, method.name)))


def _knows(method: Method, problem: Problem, variant: str | None) -> bool:
    plain = problem.variants[:1]
    return variant == ALL_VARIANTS or (plain[0] if variant is None else variant) in (method.variants or plain)


def _exported(problem: Problem, kind: type[Exported], singular: str, plural: str) -> list[Exported]:
    """Return the objects of a type that the modules of a problem's heuristics package export under these names."""
    if not problem.has("heuristics"):
        return []
    package = problem.part("heuristics")
    names = [module.name for module in pkgutil.iter_modules(getattr(package, "__path__", ()))]
    modules = [package, *(importlib.import_module(f"{package.__name__}.{name}") for name in names)]
    objects = [value for module in modules for value in (getattr(module, singular, None), *getattr(module, plural, ()))]
    return [value for value in objects if isinstance(value, kind)]


@cache
def methods(problem: object, variant: str | None = None) -> tuple[Method, ...]:
    """Return the toolkit's heuristics for `problem`, then those of installed distributions, in listing order.

    A plain function offered as an entry point does not declare its problem and is assigned to the first problem.

    Parameters
    ----------
    problem
        A `Problem` or its instance type: `CoallocationInstance` or `MospInstance`.
    variant
        Variant of the problem, as in an instance's `variant`; None for the plain one. Heuristics that do not support
        it are left out. `ALL_VARIANTS` includes all heuristics.

    Raises
    ------
    InputError
        If an entry point of a distribution cannot be imported.
    """
    target = problem_of(problem)
    installed = (as_method(point.name, _loaded(point)) for point in entry_points(group=ENTRY_POINTS))
    offered = (method for method in installed if (method.problem or problems()[0]) is target)
    return (*toolkit_methods(target, variant), *(method for method in offered if _knows(method, target, variant)))


def _loaded(point: EntryPoint) -> Any:
    try:
        return point.load()
    except Exception as error:
        source = "" if point.dist is None else f" of {point.dist.name}, which is installed,"
        reason = f"{point.value}{source} cannot be imported: {type(error).__name__}: {error}"
        raise InputError(reason, field="heuristic", value=point.name) from error


def find_method(name: str, problem: object) -> Method:
    """Return the heuristic for `problem` called `name`, or the one at ``package.module:function``.

    For organizations, ``MOCCA(α)`` and ``MOCCA-7(α)`` accept any rational cut α ≥ 3: ``MOCCA(7/2)``; ``LSRC(LPT)`` is
    list scheduling in the order of LPT or another such method; ``BATCH(…)`` runs any method, also a user's, in batches.

    Raises
    ------
    InputError
        If there is none; for a dotted name that cannot be imported, the message gives the reason.
    """
    if ":" not in name.partition("(")[0]:
        return _by_name(name, problem_of(problem))
    return as_method(name, imported(name, "heuristic"))


def imported(place: str, field: str) -> Any:
    """Return the user's object at ``package.module:NAME``; raises `InputError` that names `field`."""
    module_name, _, attribute = place.partition(":")
    folder = working_folder()
    if folder is not None and folder not in sys.path:  # user code is in the folder where the command is typed
        sys.path.insert(0, folder)
    announce(module_name, attribute)
    try:
        module = importlib.import_module(module_name)
    except Exception as error:
        check_not_own(module_name)
        reason = f"cannot be imported: {type(error).__name__}: {error}"
        raise InputError(reason, field=field, value=place) from error
    if not hasattr(module, attribute):
        check_not_own(module_name)
        raise InputError(f"module {module_name} has no {attribute!r}", field=field, value=place)
    return getattr(module, attribute)


def select_methods(
    heuristics: AnyHeuristic | Sequence[AnyHeuristic], instance: Instance, argument: str
) -> list[Method]:
    """Return the methods for one or several given heuristics; error messages name `argument`."""
    values = [heuristics] if isinstance(heuristics, str) or callable(heuristics) else heuristics
    with naming(argument):
        if not isinstance(values, Iterable):
            raise InputError("must be a heuristic, or several", value=heuristics)
        return [_method(heuristic, instance) for heuristic in values]


def _method(heuristic: AnyHeuristic, instance: Instance) -> Method:
    if isinstance(heuristic, Heuristic):
        return heuristic.method_for(instance)
    if isinstance(heuristic, str):
        return find_method(heuristic, instance.problem)
    return as_method(getattr(heuristic, "__name__", repr(heuristic)), heuristic)


@cache
def heuristic_names() -> tuple[str, ...]:
    """Return the names of all heuristics, including installed ones, of all problems, in listing order."""
    return tuple(dict.fromkeys(method.name for problem in problems() for method in methods(problem, ALL_VARIANTS)))


def find_heuristic(name: str) -> Heuristic:
    """Return the heuristic called `name` for every problem that has one.

    Parameters
    ----------
    name
        Such as ``FCFS``, ``MOCCA(4)``, ``MOCCA(7/2)`` or ``package.module:function``, as in `find_method`; case does
        not matter.

    Raises
    ------
    InputError
        If there is none; for a dotted name that cannot be imported, the message gives the reason.
    """
    by_problem: dict[Problem, Method] = {}
    missing: list[InputError] = []
    for problem in problems():
        try:
            by_problem[problem] = find_method(name, problem)
        except InputError as error:
            missing.append(error)
    if not by_problem:
        raise missing[0] if ":" in name else unknown_name(name, heuristic_names(), "heuristic", further=_FURTHER)
    (method_name, *_) = (method.name for method in by_problem.values())
    return Heuristic(method_name, by_problem)


def _by_name(name: str, problem: Problem) -> Method:
    method = _looked_up(name, problem)
    if method is not None:
        return method
    known = [listed.name for listed in methods(problem, ALL_VARIANTS)]
    owners = [other.title for other in problems() if other is not problem and _looked_up(name, other) is not None]
    if owners:
        reason = f"is for {' and '.join(owners)} only; for {problem.title} there are: {', '.join(known)}"
        raise InputError(reason, field="heuristic", value=name)
    known += [family.names for family in _families(problem) if family.names]
    raise unknown_name(name, known, "heuristic", further=_FURTHER)


def _looked_up(name: str, problem: Problem) -> Method | None:
    """Return the heuristic of this name, ignoring case, from the listing or a family; None if there is none."""
    listed = (method for method in methods(problem, ALL_VARIANTS) if method.name.lower() == name.lower())
    from_families = (family.find(name) for family in _families(problem))
    return next(listed, None) or next((method for method in from_families if method is not None), None)


def _families(problem: Problem) -> list[MethodFamily]:
    return _exported(problem, MethodFamily, "FAMILY", "FAMILIES")


def as_method(name: str, found: Any) -> Method:
    """Return a Method or a user's function as a Method; `InputError` if `found` is neither.

    A problem's heuristics package may convert other callables, as ``heuristics.fair`` does with policies: its
    ``as_method(name, found)`` returns the Method, or None for other callables.
    """
    if isinstance(found, Method):
        return found
    if not callable(found):
        raise InputError("is not a function f(instance, *, seed=0) -> Schedule", field="heuristic", value=name)
    for problem in problems():
        adopt = getattr(problem.part("heuristics"), "as_method", None) if problem.has("heuristics") else None
        method = adopt(name, found) if adopt is not None else None
        if isinstance(method, Method):
            return method
    summary = (getattr(found, "__doc__", None) or "").strip().partition("\n")[0]
    return Method(name, found, summary)
