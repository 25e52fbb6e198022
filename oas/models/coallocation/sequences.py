"""Sequences of configurations, from schedules and from what solvers answer: for the models under slowdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from oas.core.errors import SolverError
from oas.models.coallocation.slowdown_reductions import canonical_runs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction

    from oas.problems.coallocation.allocations import Allocation
    from oas.problems.coallocation.configurations import Member
    from oas.problems.coallocation.instance import CoallocationInstance
    from oas.problems.coallocation.progress import StartedRun
    from oas.solvers.task import Key

    Choices = tuple[tuple[Allocation, ...], ...]


def chosen_sequence(values: Mapping[Key, float]) -> dict[int, int]:
    """Return the configuration that an incumbent has in each step, for those that have one, ascending.

    Raises
    ------
    SolverError
        If a step has two.
    """
    chosen: dict[int, int] = {}
    for (name, index), value in values.items():
        if name == "runs" and value:
            step, configuration = cast("tuple[int, int]", index)
            if step in chosen:
                raise SolverError(f"the solver's incumbent has two configurations in step {step}")
            chosen[step] = configuration
    return dict(sorted(chosen.items()))


def first_steps(instance: CoallocationInstance, sequence: Sequence[Sequence[Member]]) -> list[tuple[int, int]]:
    """Return the first step of each job's run and its allocation.

    Raises
    ------
    SolverError
        If a job does not run, its run is broken, or it changes its allocation.
    """
    found = []
    for job, named in enumerate(instance.jobs):
        own = [(step, choice) for step, members in enumerate(sequence) for one, choice in members if one == job]
        if not own:
            raise SolverError(f"the solver's incumbent does not run job {named.id}")
        first, choice = own[0]
        if own != [(step, choice) for step in range(first, first + len(own))]:
            raise SolverError(f"the solver's incumbent breaks the run of job {named.id} or moves it to other nodes")
        found.append(own[0])
    return found


def allocations_of_runs(
    instance: CoallocationInstance, choices: Choices, ordered: bool, runs: Sequence[StartedRun]
) -> list[StartedRun] | None:
    """Return runs on allocations of a model; where these are reduced, moved onto them; None if that fails.

    `ordered`: identical jobs have an order in the model.
    """
    if all(run.allocation in choices[run.job] for run in runs) and not ordered:
        return list(runs)
    return canonical_runs(instance, choices, runs)


def together(
    choices: Choices, runs: Sequence[StartedRun], ends: Sequence[Fraction], moment: Fraction
) -> tuple[Member, ...]:
    """Return what runs at a moment, as the members of a configuration."""
    return tuple(
        sorted(
            (run.job, choices[run.job].index(run.allocation))
            for run, end in zip(runs, ends, strict=True)
            if run.start <= moment < end
        )
    )
