"""What REF claims of a run, and how it is checked: by a second algorithm that shares no code with the first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from oas.core.stream import whole_numbers
from oas.core.violation import Violation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from fractions import Fraction

    from numpy.typing import ArrayLike

    from oas.problems.fair.ticks import FairTicks

SHOWN = 10  # jobs or coalitions that a violation names


@dataclass(frozen=True)
class Decision:
    """A decision of all organizations together between at least two whose next jobs fit.

    Attributes
    ----------
    job
        That starts, in the order of presentation.
    chosen, rival
        Its organization, and the best of the others.
    margin
        By how much φ − ψ of `chosen` exceeds that of `rival` at the moment after the start; 0 for a tie.
    """

    job: int
    chosen: int
    rival: int
    margin: Fraction


@dataclass(frozen=True)
class ReferenceCertificate:
    """What REF claims besides its starts.

    Attributes
    ----------
    values
        v of each coalition in its own schedule at the horizon; the place of a coalition is Σ 2^u over its members.
    decisions, stride
        Each `stride`-th contended decision of all organizations together, the first one first.
    """

    values: tuple[int, ...]
    decisions: tuple[Decision, ...]
    stride: int


def verify_reference(
    ticks: FairTicks,
    starts: ArrayLike,
    certificate: ReferenceCertificate,
    *,
    compiled: bool | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> list[Violation]:
    """Return what is wrong with a run of REF and its certificate; nothing if all of it holds.

    REF is run again, for every coalition, by `heuristics.fair.second`: one event after the other in the order of
    time, with potentials that are always up to date, without chunks or old contributions. Compared are when each job
    starts (``reference``), v of each coalition at the horizon (``value``), and each noted decision: job,
    organizations and exact margin (``margin``). That takes some times as long as REF.

    Parameters
    ----------
    ticks
        Organizations and jobs.
    starts
        When each job is said to start, -1 for not before the horizon.
    certificate
        What is claimed.
    compiled
        Whether to run compiled loops; None: as the size suggests.
    on_progress
        Called now and then with the moment that is reached.

    Raises
    ------
    InputError
        If `starts` is not a row of whole numbers from -1 on.
    TooLargeError
        If numbers may pass 64 bits and there are too many starts for Python integers.
    """
    from heuristics.fair.second.recomputing import recompute

    given = whole_numbers(starts, "starts", -1).tolist()
    if certificate.stride < 1:
        return [Violation("margin", (), f"each {certificate.stride}-th decision is to be noted")]
    found = recompute(ticks, certificate.stride, compiled=compiled, on_progress=on_progress)
    return [
        *_differences("reference", "jobs do not start when REF starts them", given, found.starts),
        *_differences("value", "coalitions have another v", certificate.values, found.values),
        *_differences(
            "margin",
            "noted decisions are others",
            certificate.decisions,
            [Decision(*one) for one in found.notes],
        ),
    ]


def _differences(rule: str, what: str, given: Sequence[object], found: Sequence[object]) -> Iterator[Violation]:
    if len(given) != len(found):
        yield Violation(rule, (), f"{what}: there are {len(given)}, and must be {len(found)}")
        return
    wrong = [place for place, (one, other) in enumerate(zip(given, found, strict=True)) if one != other]
    if wrong:
        first, more = wrong[0], ", …" if len(wrong) > SHOWN else ""
        named = ", ".join(map(str, wrong[:SHOWN]))
        where = f"at {first}, {_shown(given[first])} instead of {_shown(found[first])}"
        jobs = tuple(map(str, wrong[:SHOWN])) if rule == "reference" else ()
        yield Violation(rule, jobs, f"{what}: {len(wrong):,} ({named}{more}); {where}")


def _shown(value: object) -> str:
    if not isinstance(value, Decision):
        return str(value)
    return f"job {value.job} of {value.chosen}, {value.margin} before {value.rival}"
