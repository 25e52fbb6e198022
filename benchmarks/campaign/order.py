"""What is to be run: pure data that crosses processes and machines."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.campaign.methods import MethodSpec  # noqa: TC001 - a part of what is pickled


@dataclass(frozen=True)
class Order:
    """One run.

    Attributes
    ----------
    key
        Hash of the instance, the method with its parameters and source, limits, seed, repetition and package version:
        what has the same key need not run again.
    digest, instance
        Of the instance, and its name.
    method, seed, repetition
        What to run.
    """

    key: str
    digest: str
    instance: str
    method: MethodSpec
    seed: int
    repetition: int


@dataclass(frozen=True)
class Batch:
    """Runs on one instance, made one after the other by one worker.

    Attributes
    ----------
    document
        The instance as its file would be.
    orders
        The runs.
    """

    document: bytes
    orders: tuple[Order, ...]


@dataclass(frozen=True)
class Started:
    """Child to parent: the run of this key begins now."""

    key: str


@dataclass(frozen=True)
class Done:
    """Child to parent: the batch is through."""
