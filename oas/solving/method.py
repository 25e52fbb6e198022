"""The types of heuristics: methods, families of methods, their requirements and guarantees."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from oas.core.errors import InputError, OasError
from oas.core.instances import check_instance
from oas.core.problem import Problem, check_variant, problem_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from fractions import Fraction

    from oas.core.instances import Instance
    from oas.core.schedule import Schedule

_NAME = re.compile(r"(.+?)\s*\((.*)\)")


class NotApplicableError(OasError):
    """The method's theory does not cover a feature of the instance; the message names it."""


class NotPlacedError(OasError):
    """The method ended without a complete schedule, as its theory allows it to."""


class Scheduler(Protocol):
    """A function that schedules an instance at its own slot size; the instance and `seed` determine the result."""

    def __call__(self, instance: Any, *, seed: int = 0) -> Schedule: ...


class Requirement(Protocol):
    """Test of a hypothesis of a method's theory on an instance.

    It returns None if the hypothesis holds, otherwise the rest of a sentence that begins with the method's name:
    ``knows no release dates``.
    """

    def __call__(self, instance: Any, /) -> str | None: ...


@dataclass(frozen=True)
class Guarantee:
    """A proven ratio between a method's makespan and the optimum.

    Attributes
    ----------
    value
        The ratio.
    hypothesis
        The conditions of the theorem and its source, such as ``every job fits every cluster (MOCCA, Theorem 1)``.
    """

    value: Fraction
    hypothesis: str


@dataclass(frozen=True)
class Method:
    """A named heuristic for one problem.

    Attributes
    ----------
    name
        Name in tables and on the command line.
    run
        The scheduler.
    summary
        One line for ``--help`` and captions of tables.
    rank
        Position in listings.
    problem
        A `Problem`, or its instance type; None for a function that does not declare its problem.
    respects_locality
        MOSP: False for a method that considers only the global makespan, so an organization may finish later.
    clairvoyant
        Fair sharing: True if a decision may depend on future events: in REF, a running job may already have ended in
        the schedule of a coalition. The test kit checks that all other methods use only the past.
    guarantee
        ``instance -> Guarantee``, or None if the theorem does not apply; None for a method without a theorem.
    variants
        The supported `Problem.variants`; empty for the plain variant only.
    requires
        Hypotheses without which the method does not run, in the order in which they are tested.
    """

    name: str
    run: Scheduler
    summary: str
    rank: int = field(default=1000, compare=False)
    problem: Any = field(default=None, compare=False)
    respects_locality: bool = field(default=True, compare=False)
    clairvoyant: bool = field(default=False, compare=False, kw_only=True)
    guarantee: Callable[[Any], Guarantee | None] | None = field(default=None, compare=False)
    variants: tuple[str, ...] = field(default=(), compare=False)
    requires: tuple[Requirement, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        if self.problem is not None:
            object.__setattr__(self, "problem", problem_of(self.problem))

    def __call__(self, instance: Any, *, seed: int = 0) -> Schedule:
        """Schedule an instance of the method's problem, at any slot size; `seed` is for randomized methods.

        Raises
        ------
        InputError
            If it is not an instance.
        NotApplicableError
            If the instance does not meet the requirements of the method.
        NotPlacedError
            If the method ends without a complete schedule.
        """
        check_instance(instance)
        check_variant(instance, self.name, self.variants)
        return self.scheduler(instance, seed=seed)

    @property
    def scheduler(self) -> Scheduler:
        """`run` preceded by a test of the requirements; it can be pickled if they can."""
        return partial(_run_where_applicable, self.name, self.requires, self.run) if self.requires else self.run


def _run_where_applicable(
    name: str, requires: Sequence[Requirement], run: Scheduler, instance: Any, *, seed: int = 0
) -> Schedule:
    for requirement in requires:
        reason = requirement(instance)
        if reason is not None:
            raise NotApplicableError(f"{name} {reason}")
    return run(instance, seed=seed)


@dataclass(frozen=True)
class MethodFamily:
    """Methods of one problem with a parameter in brackets, such as ``RAND(15)``.

    A module exports one as FAMILY, or several as FAMILIES.
    """

    heads: tuple[str, ...]  # the text before the brackets, in upper case
    # ``(head, text in the brackets) -> Method``; raises `InputError` for a bad parameter
    make: Callable[[str, str], Method]
    names: str = ""  # the names for the message about an unknown name; empty if all of them are listed
    bare: str | None = None  # the parameter that a name without brackets implies; None if brackets are required

    def find(self, name: str) -> Method | None:
        """Return the method called `name`, ignoring case; None for a name outside the family."""
        match = _NAME.fullmatch(name.strip())
        head, text = (name.strip(), self.bare) if match is None else (match[1], match[2].strip())
        return None if text is None or head.upper() not in self.heads else self.make(head.upper(), text)


@dataclass(frozen=True)
class Heuristic:
    """All methods of one name, by problem; called with an instance of any of these problems."""

    name: str
    methods: Mapping[Problem, Method] = field(hash=False)

    def __call__(self, instance: Instance, *, seed: int = 0) -> Schedule:
        """Schedule an instance with the method for its problem; errors as in `Method`.

        Parameters
        ----------
        instance
            Of any problem.
        seed
            For randomized methods.
        """
        return self.method_for(instance)(instance, seed=seed)

    def method_for(self, instance: Instance) -> Method:
        """Return the method for `instance`; `InputError` if there is none."""
        check_instance(instance)
        if instance.problem not in self.methods:
            known = " or ".join(problem.instance_type.__name__ for problem in self.methods)
            raise InputError(f"{self.name} schedules a {known}, not a {type(instance).__name__}", field="instance")
        return self.methods[instance.problem]


def relaxed(instance: Instance, method: Method) -> Instance:
    """Return the instance by which a method's schedule is verified: without locality if the method ignores locality."""
    return instance if method.respects_locality else instance.relaxed()
