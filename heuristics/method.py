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
    """A function that schedules an instance at its own slot size; all it does follows from the instance and `seed`."""

    def __call__(self, instance: Any, *, seed: int = 0) -> Schedule: ...


class Requirement(Protocol):
    """A hypothesis of a method's theory, tested on an instance.

    It returns None where the hypothesis holds, and otherwise the rest of a sentence that begins with the method's
    name: ``knows no release dates``.
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
        What it rests on and where it is proved, such as ``every job fits every cluster (MOCCA, Theorem 1)``.
    """

    value: Fraction
    hypothesis: str


@dataclass(frozen=True)
class Method:
    """A heuristic under its name.

    Attributes
    ----------
    name
        As tables show it and as the command line takes it.
    run
        The scheduler.
    summary
        One line for ``--help`` and tables' captions.
    rank
        Place in listings.
    problem
        A `Problem`, or the type of its instances, which stands for it; None for a function that does not say.
    respects_locality
        MOSP: False for a method that looks at the global makespan alone, so that an organization may lose by it.
    clairvoyant
        Fair sharing: True for a reference that may rest a decision on what has not happened yet, as REF does: jobs that
        still run may have ended in its coalitions' own schedules. The test kit holds all others to the past.
    guarantee
        ``instance -> Guarantee``, or None where the theorem does not apply; None for a method without a theorem.
    variants
        Those of `Problem.variants` that it knows; none for the plain one alone.
    requires
        Hypotheses without which it does not run, in the order in which they are tested.
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
        """Schedule `instance`.

        Parameters
        ----------
        instance
            Of the method's problem, at any slot size.
        seed
            For methods that draw by lot; the others do not use it.

        Raises
        ------
        InputError
            If it is no instance.
        NotApplicableError
            If the instance does not meet what the method requires.
        NotPlacedError
            If it ends without a complete schedule.
        """
        check_instance(instance)
        check_variant(instance, self.name, self.variants)
        return self.scheduler(instance, seed=seed)

    @property
    def scheduler(self) -> Scheduler:
        """`run`, after a test of what the method requires; it can be pickled if these can."""
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
    """Methods of one problem that have a parameter in brackets, such as ``RAND(15)``; a module exports FAMILY.

    A module with several exports them as FAMILIES.
    """

    heads: tuple[str, ...]  # what stands before the brackets, in upper case
    # ``(head, text in the brackets) -> Method``; raises `InputError` for a bad parameter
    make: Callable[[str, str], Method]
    names: str = ""  # the names, for the message about an unknown one; empty if all of them are listed
    bare: str | None = None  # the text that a name without brackets stands for; None if there is no such name

    def find(self, name: str) -> Method | None:
        """Return the method called `name`, in whatever case; None for a name that is not of the family."""
        match = _NAME.fullmatch(name.strip())
        head, text = (name.strip(), self.bare) if match is None else (match[1], match[2].strip())
        return None if text is None or head.upper() not in self.heads else self.make(head.upper(), text)


@dataclass(frozen=True)
class Heuristic:
    """The methods of one name, to be called with an instance of any problem that has one.

    Attributes
    ----------
    name
        As tables show it.
    methods
        By problem.
    """

    name: str
    methods: Mapping[Problem, Method] = field(hash=False)

    def __call__(self, instance: Instance, *, seed: int = 0) -> Schedule:
        """Schedule an instance of a problem with a method of this name; errors as `Method` has them.

        Parameters
        ----------
        instance, seed
            As `Method` has them.
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
    """Return what the verifier holds a method's schedule against: without the promises that the method does not make.

    For organizations that is the instance without locality.
    """
    return instance if method.respects_locality else instance.relaxed()
