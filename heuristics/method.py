"""What a heuristic is to the rest of the toolkit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from oas.core.errors import InputError, OasError
from oas.core.instances import check_instance
from oas.problems.coallocation.instance import CoallocationInstance

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from fractions import Fraction

    from oas.core.instances import Instance
    from oas.core.schedule import Schedule


class NotApplicableError(OasError):
    """The method's theory has no place for something in the instance; the message says what."""


class NotPlacedError(OasError):
    """The method ended without a complete schedule, as its theory allows it to."""


class Scheduler(Protocol):
    """A function that schedules an instance at its own slot size; all it does follows from the instance and `seed`."""

    def __call__(self, instance: Any, *, seed: int = 0) -> Schedule: ...


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
        Type of the instances it schedules.
    respects_locality
        MOSP: False for a method that looks at the global makespan alone, so that an organization may lose by it.
    guarantee
        ``instance -> Guarantee``, or None where the theorem does not apply; None for a method without a theorem.
    """

    name: str
    run: Scheduler
    summary: str
    rank: int = field(default=1000, compare=False)
    problem: type = field(default=CoallocationInstance, compare=False)
    respects_locality: bool = field(default=True, compare=False)
    guarantee: Callable[[Any], Guarantee | None] | None = field(default=None, compare=False)

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
            If the method has no place for something in the instance.
        NotPlacedError
            If it ends without a complete schedule.
        """
        check_instance(instance)
        return self.run(instance, seed=seed)


@dataclass(frozen=True)
class Heuristic:
    """The methods of one name, to be called with an instance of any problem that has one.

    Attributes
    ----------
    name
        As tables show it.
    methods
        By the type of instance.
    """

    name: str
    methods: Mapping[type, Method] = field(hash=False)

    def __call__(self, instance: Instance, *, seed: int = 0) -> Schedule:
        """Schedule `instance`.

        Parameters
        ----------
        instance
            Of a problem that has a method of this name.
        seed
            For methods that draw by lot; the others do not use it.

        Raises
        ------
        InputError
            If it is no instance, or of a problem without such a method.
        NotApplicableError
            If the method has no place for something in the instance.
        NotPlacedError
            If it ends without a complete schedule.
        """
        return self.method_for(instance)(instance, seed=seed)

    def method_for(self, instance: Instance) -> Method:
        """Return the method for `instance`; `InputError` if there is none."""
        check_instance(instance)
        if type(instance) not in self.methods:
            known = " or ".join(problem.__name__ for problem in self.methods)
            raise InputError(f"{self.name} schedules a {known}, not a {type(instance).__name__}", field="instance")
        return self.methods[type(instance)]
