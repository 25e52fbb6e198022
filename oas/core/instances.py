"""Protocol of the instances of all problems, checks of arguments with helpful messages, and seeded generators."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, Self, TypeGuard, TypeVar

from oas.core.errors import InputError
from oas.core.formats import call_by_path
from oas.core.problem import Problem, import_object
from oas.core.result import Result
from oas.core.schedule import Schedule

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


# Limits of instances of every origin: those of `oas.checker`, so that every result can be checked.
MAX_CLUSTERS = 10_000
MAX_JOBS = 50_000
MAX_NODES = 1_000_000
MAX_RESERVATIONS = 100_000


def check_count(count: int, limit: int, noun: str, field: str) -> None:
    """Raise `InputError` that names `field` if an instance has more than `limit` of something."""
    if count > limit:
        raise InputError(f"more than {limit} {noun} in all", field=field, value=count)


class Instance(Protocol):
    """An instance of any problem."""

    @property
    def problem(self) -> Problem: ...
    @property
    def name(self) -> str: ...  # for people, like the provenance
    @property
    def provenance(self) -> Mapping[str, str]: ...
    @property
    def jobs(self) -> Sequence[Any]: ...  # each has an `id`
    @property
    def digest(self) -> str: ...  # SHA-256 of the data that determine the schedules
    @property
    def node_count(self) -> int: ...  # of all clusters
    @property
    def cluster_sizes(self) -> list[tuple[str, int]]: ...  # id and number of nodes of each cluster
    @property
    def variant(self) -> str: ...  # of the rules, one of the problem's `variants`
    @property
    def variant_field(self) -> str: ...  # the field that determines the variant

    def scaled(self) -> Any:
        """Return the instance in integer ticks, an object with at least `tick`, `job_count` and `to_time`."""

    def relaxed(self) -> Instance:
        """Return the instance without the rules that heuristics may ignore; the instance itself if there are none."""


Scaled = TypeVar("Scaled")


class CommonInstance(Generic[Scaled]):
    """Base class of the toolkit's own types of instances: their digest, their form in integers and their display.

    Attributes: `scaling`: import path of the function that returns an instance in integers. `display`: module
    with the functions for their texts and HTML.
    """

    scaling: ClassVar[str]
    display: ClassVar[str]

    def _data(self) -> list[object]:
        """Return the data that determine the schedules, beginning with the problem's name and a version."""
        raise NotImplementedError

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the instance's data, except names and provenance."""
        return sha256("|".join(map(str, self._data())).encode()).hexdigest()

    def scaled(self) -> Scaled:
        """Return the instance in integers."""
        return self._scaled

    @cached_property
    def _scaled(self) -> Scaled:
        return import_object(self.scaling)(self)

    def relaxed(self) -> Self:
        """Return the instance without the rules that heuristics may ignore; by default there are none."""
        return self

    def __repr__(self) -> str:
        return call_by_path(f"{self.display}:instance_text", self)

    def _repr_html_(self) -> str:
        return call_by_path(f"{self.display}:instance_html", self)


def is_instance(value: object) -> TypeGuard[Instance]:
    """Return whether `value` is an instance of some problem."""
    return not isinstance(value, type) and isinstance(getattr(value, "problem", None), Problem)


def check_instance(value: object) -> None:
    """Raise `InputError`, with advice, if `value` is not an instance."""
    if is_instance(value):
        return
    reason = f"an instance is needed, not {_type_name(value)}"
    if isinstance(value, str | os.PathLike):
        reason += "; oas.load reads one from a file"
    elif isinstance(value, Schedule | Result):
        reason += "; the instance comes first"
    raise InputError(reason, field="instance", value=None if isinstance(value, Schedule | Result) else value)


def check_problem(instance: Any, problem: Problem, reason: str) -> None:
    """Raise `InputError` with `reason` if the instance is of another problem, or if it is no instance."""
    check_instance(instance)
    if instance.problem is not problem:
        raise InputError(reason, field="problem")


def check_schedule(value: object) -> None:
    """Raise `InputError`, with advice, if `value` is not a schedule."""
    if isinstance(value, Schedule):
        return
    reason = f"a schedule is needed, not {_type_name(value)}"
    if isinstance(value, Result):
        reason += "; its .schedule is one, or None" if value.schedule is None else "; its .schedule is one"
    elif is_instance(value):
        reason += "; the instance comes first"
    elif value is None:
        reason += ", which a result without a schedule has"
    raise InputError(reason, field="schedule")


def _type_name(value: object) -> str:
    return "None" if value is None else type(value).__name__


@dataclass(frozen=True)
class Generator:
    """A seeded generator under its name."""

    name: str  #: as the command line takes it; also its name in `oas.generate`
    #: typed parameters in, instance out: the same arguments give the same instance on every machine
    function: Callable[..., Instance]
    summary: str  #: one line for ``--help``
    rank: int = field(default=1000, compare=False)  #: place in listings


def provenance(generator: str, **parameters: object) -> dict[str, str]:
    """Return the provenance of an instance: the generator, the version of its draws, and all parameters."""
    return {"generator": generator, "version": "1", **{name: str(value) for name, value in parameters.items()}}
