"""The order for a run: plain data that is passed between processes and machines."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from fractions import Fraction  # noqa: TC003 - pickled

from oas.campaigns.methods import MethodSpec  # noqa: TC001 - pickled
from oas.campaigns.sources import Source  # noqa: TC001 - pickled
from oas.core.errors import OasError


class OtherSourceError(OasError):
    """The source at the place of a run differs from the one that the run was planned with."""

    def __init__(self, method: str) -> None:
        super().__init__(method)
        self.method = method

    def __str__(self) -> str:
        return f"{self.method}: its source has changed since the campaign began, or a worker has another; start again"


@dataclass(frozen=True)
class Order:
    """One run.

    Attributes
    ----------
    key
        Hash of the instance, the method with its parameters and source, limits, seed, repetition and package version:
        what has the same key need not run again.
    digest, instance, problem
        Of the instance: its digest, its name, ``coallocation`` or ``mosp``.
    method, seed, repetition
        The run.
    source
        Hash of the source that the run was planned with.
    origin
        The declared source of the instance.
    seconds
        Wall time of the run whose time this one gets (`RunLimits.time_of`), once it is known.
    """

    key: str
    digest: str
    instance: str
    problem: str
    method: MethodSpec
    seed: int
    repetition: int
    source: str
    origin: Source
    seconds: Fraction | None = None

    @property
    def time_limit(self) -> Fraction | None:
        """Seconds that the run may take; None for no limit."""
        limits = [one for one in (self.method.limits.seconds, self.seconds) if one is not None]
        return min(limits, default=None)


@dataclass(frozen=True)
class Batch:
    """Runs on one instance, made one after the other by one worker.

    Attributes
    ----------
    document
        The instance as its file would be.
    orders
        The runs.
    path
        Where the campaign's own modules are found, beyond what a worker knows.
    """

    document: bytes
    orders: tuple[Order, ...]
    path: tuple[str, ...] = ()


@dataclass(frozen=True)
class Started:
    """Child to parent: the run of this key begins now."""

    key: str


@dataclass(frozen=True)
class Done:
    """Child to parent: the batch is through."""


def use_path(path: tuple[str, ...]) -> None:
    """Make modules in these folders importable, after all that are so already."""
    sys.path += [entry for entry in path if entry not in sys.path]
