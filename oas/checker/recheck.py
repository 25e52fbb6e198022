"""Check of all claims of a schedule or result, and the registry of the lower bounds that a result may name.

The lines of output are those of `oas verify`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

from oas.checker.answers import StatedAnswer, StatedBound, StatedProof
from oas.checker.brute_force import coallocation_schedule_before, mosp_schedule_before
from oas.checker.coallocation_configurations import (
    check_coallocation_configurations,
    coallocation_area,
    coallocation_longest_job,
    coallocation_wide_jobs,
)
from oas.checker.coallocation_instance import CoallocationInstance, read_coallocation
from oas.checker.coallocation_proof_log import check_coallocation_proof_log
from oas.checker.coallocation_rules import check_coallocation_schedule
from oas.checker.coallocation_search_log import check_coallocation_search_log
from oas.checker.coallocation_shared_links import check_coallocation_shared_links
from oas.checker.coallocation_spread import empty_grid_levels
from oas.checker.effort import Effort
from oas.checker.mosp_document import read_mosp
from oas.checker.mosp_instance import MospInstance
from oas.checker.mosp_partitions import check_mosp_partitions
from oas.checker.mosp_proof_log import check_mosp_proof_log
from oas.checker.mosp_simple import (
    mosp_area,
    mosp_dual_feasible,
    mosp_high_jobs,
    mosp_k_longest,
    mosp_longest_job,
    mosp_paper,
)
from oas.checker.mosp_start_tree import check_mosp_start_tree
from oas.checker.mosp_weighed import check_mosp_configurations, check_mosp_two_dimensional
from oas.checker.reading import Refused
from oas.checker.schedules import PlacedJob, check_mosp_schedule

CheckedInstance = CoallocationInstance | MospInstance

MOST_SHOWN_DIGITS = 8
MOST_ENUMERATED = 5_000_000  # steps of an enumeration

# By problem and name: the function that computes a bound whose certificate is empty.
SIMPLE_BOUNDS: dict[tuple[str, str], Callable[[Any], Fraction]] = {
    ("coallocation", "area"): coallocation_area,
    ("coallocation", "longest job"): coallocation_longest_job,
    ("coallocation", "wide jobs"): coallocation_wide_jobs,
    ("mosp", "area"): mosp_area,
    ("mosp", "dual feasible functions"): mosp_dual_feasible,
    ("mosp", "high jobs"): mosp_high_jobs,
    ("mosp", "k-longest"): mosp_k_longest,
    ("mosp", "longest job"): mosp_longest_job,
    ("mosp", "paper LB"): mosp_paper,
}
# The same for bounds with certificates: (instance, certificate) -> proven value in the instance's time unit.
CERTIFIED_BOUNDS: dict[tuple[str, str], Callable[[Any, Any], Fraction]] = {
    ("coallocation", "configurations"): check_coallocation_configurations,
    ("coallocation", "proof log"): check_coallocation_proof_log,
    ("coallocation", "search log"): check_coallocation_search_log,
    ("coallocation", "shared links"): check_coallocation_shared_links,
    ("mosp", "configurations"): check_mosp_configurations,
    ("mosp", "partitions"): check_mosp_partitions,
    ("mosp", "proof log"): check_mosp_proof_log,
    ("mosp", "start tree"): check_mosp_start_tree,
    ("mosp", "two-dimensional"): check_mosp_two_dimensional,
}


def confirm(instance: CheckedInstance, bound: StatedBound) -> None:
    """Refuse a bound that exact arithmetic does not confirm: the proven value, rounded up to the grid, is smaller.

    The rounding is valid because some optimal schedule ends on the grid. With slots every schedule does. Without slots,
    a schedule of jobs with fixed times has starts at 0, at releases, or at ends of other jobs or reservations, once no
    job can start earlier; the tick divides all of these. If saturated links slow jobs down in continuous time, there is
    no grid, and nothing is rounded.
    """
    key = (instance.problem, bound.name)
    if bound.certificate is None:
        raise Refused("it has no certificate")
    if key in SIMPLE_BOUNDS:
        proven = SIMPLE_BOUNDS[key](instance)
    elif key in CERTIFIED_BOUNDS:
        proven = CERTIFIED_BOUNDS[key](instance, bound.certificate)
    else:
        raise Refused("there is no bound of this name for the instance's rules")
    tick = instance.ticks.tick
    if tick:
        proven = -(-proven // tick) * tick
    if bound.value > proven:
        raise Refused(f"{proven} is proven")


class CheckedProblem(NamedTuple):
    """The checks of one problem."""

    read: Callable[[dict[str, Any]], Any]  # reads the instance of a document
    check_schedule: Callable[[Any, list[PlacedJob]], None]  # refuses a schedule that breaks a rule
    # (instance, limit, effort) -> a shortest schedule if it ends before the limit
    schedule_before: Callable[[Any, Fraction, Effort], list[PlacedJob] | None]
    all_placeable: Callable[[Any], bool]  # whether each job has an allocation
    digest_parts: Callable[[Any], list[object]]


def check_answer(instance: CheckedInstance, answer: StatedAnswer) -> list[str]:
    """Check all claims of a schedule or result; return a line for each."""
    problem = CHECKED_PROBLEMS[instance.problem]
    if answer.digest is not None and answer.digest != digest_of(instance):
        raise Refused("instance_digest: the result is of another instance or another slot size")
    if answer.status == "infeasible":
        if problem.all_placeable(instance):
            raise Refused("the result claims infeasibility, but every job has an allocation")
        return ["infeasible: confirmed, a job has no allocation"]
    makespan, lowest, lines = answer.makespan, answer.lower_bound, []
    if answer.placements is not None and makespan is not None:
        problem.check_schedule(instance, answer.placements)
        if answer.certificate is not None:
            raise Refused("schedule.certificate: schedules of this problem have none")
        jobs = f"{len(answer.placements):,} job{'' if len(answer.placements) == 1 else 's'}"
        lines.append(f"schedule: feasible, {jobs}, makespan {_shown_time(makespan)}")
    if lowest is not None:
        if makespan is not None and lowest > makespan:
            raise Refused(f"the lower bound {lowest} is above the feasible makespan {makespan}")
        if answer.proof is None:
            raise Refused(f"the lower bound {lowest} comes without a proof")
        lines.append(f"lower bound: {lowest}, {_check_proof(instance, answer.proof, lowest)}")
        above = [claim for claim in answer.proof.claims if claim.bound > lowest]
        lines += [f"not counted: {claim.bound}, claimed by {claim.who} alone" for claim in above]
    if answer.status == "optimal":
        if makespan is None or makespan != lowest:
            raise Refused(f"the result claims an optimum, but {makespan} is not {lowest}")
        claimed = answer.proof is not None and answer.proof.kind == "solver"
        lines.append(f"status: optimal, {'claimed' if claimed else 'proven'}: schedule and bound meet")
    elif answer.status is not None:
        lines.append(f"status: {answer.status}, no optimum is claimed")
    return lines


def _check_proof(instance: CheckedInstance, proof: StatedProof, lowest: Fraction) -> str:
    """Return how the proof confirms a lower bound; refuse one that does not."""
    bound = proof.bound
    if bound is not None:
        try:
            confirm(instance, bound)
        except Refused as error:
            raise Refused(f"the bound {bound.name} = {bound.value} is not confirmed: {error}") from error
    if proof.kind == "certificate":
        if bound is None or bound.value < lowest:
            raise Refused(f"no certificate reaches the lower bound {lowest}")
        return f"proven here in exact arithmetic ({bound.name})"
    if proof.kind == "brute_force":
        refute_by_enumeration(instance, lowest)
        return "proven here by enumerating again"
    claims = [claim for claim in proof.claims if claim.bound >= lowest]
    if len({claim.source for claim in claims}) < 2:
        raise Refused(f"the lower bound {lowest} needs the claims of two different runs, not of {len(claims)}")
    certified = "" if bound is None else f"; certified is {bound.value} ({bound.name})"
    return f"not proven here, claimed by {', '.join(claim.who for claim in claims)}{certified}"


def refute_by_enumeration(instance: CheckedInstance, lowest: Fraction) -> None:
    """Refuse the lower bound `lowest` if enumeration finds a shorter schedule or is too large."""
    problem = CHECKED_PROBLEMS[instance.problem]
    try:
        if not problem.all_placeable(instance):
            raise Refused("a job has no allocation")
        placements = problem.schedule_before(instance, lowest, Effort(MOST_ENUMERATED))
    except Refused as error:
        raise Refused(f"the lower bound {lowest} is said to come from enumeration, but {error}") from error
    if placements is not None:
        makespan = max(one.end for one in placements)
        raise Refused(f"the lower bound {lowest} is above the makespan {makespan} that a schedule has")


def _shown_time(value: Fraction) -> str:
    if value.denominator == 1:
        return f"{value.numerator:,}"
    if abs(value) < 1:
        return f"{value} (about {float(value):.3g})"
    decimals = min(3, max(0, MOST_SHOWN_DIGITS - len(str(abs(int(value))))))
    text = f"{float(value):,.{decimals}f}"
    return f"{value} (about {text.rstrip('0').rstrip('.') if decimals else text})"


def digest_of(instance: CheckedInstance) -> str:
    """Return the digest by which results name their instance, 64 hexadecimal digits."""
    parts = CHECKED_PROBLEMS[instance.problem].digest_parts(instance)
    return hashlib.sha256("|".join(map(str, parts)).encode()).hexdigest()


def _coallocation_parts(instance: CoallocationInstance) -> list[object]:
    parts: list[object] = ["coallocation", 1, instance.slot, instance.saturation]
    for cluster in instance.clusters:
        parts += ["cluster", cluster.bandwidth]
        parts += [(count, str(power)) for count, power in cluster.groups]
    for job in instance.jobs:
        parts += ["job", job.tasks, job.base_time, job.bandwidth, job.sigma]
    return parts


def _mosp_parts(instance: MospInstance) -> list[object]:
    """Return the parts of the digest; version 2 is for instances without local schedules."""
    starts = instance.local
    parts: list[object] = ["mosp", 2 if starts is None else 1, instance.locality]
    for organization in instance.organizations:
        parts += ["organization", organization.processors]
        parts += [("r", str(one.start), str(one.end), one.processors) for one in organization.reservations]
        for job in organization.jobs:
            parts += ["job", job.time, job.processors, job.release]
            if starts is not None:
                parts.append(starts[job.id])
    return parts


CHECKED_PROBLEMS = {
    "coallocation": CheckedProblem(
        read=read_coallocation,
        check_schedule=check_coallocation_schedule,
        schedule_before=coallocation_schedule_before,
        all_placeable=lambda instance: None not in empty_grid_levels(instance.ticks),
        digest_parts=_coallocation_parts,
    ),
    "mosp": CheckedProblem(
        read=read_mosp,
        check_schedule=check_mosp_schedule,
        schedule_before=mosp_schedule_before,
        all_placeable=lambda instance: True,
        digest_parts=_mosp_parts,
    ),
}
