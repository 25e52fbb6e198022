"""Ways to break a feasible schedule of fair sharing, one rule at a time; see `tests.core.mutations`."""

from dataclasses import replace
from fractions import Fraction as F
from functools import wraps

from oas.core.schedule import Schedule
from tests.core import mutations as common
from tests.core.mutations import HAIR, anywhere, by_cluster, nodes_of, swap


def run_twice(rng, instance, schedule):
    """Run a job once more at the same time, on processors that are idle."""
    one = rng.choice(schedule.placements)
    spare = _idle_during(instance, schedule, one)
    if len(spare) < one.tasks:
        return None
    again = replace(one, nodes=by_cluster(rng.sample(spare, one.tasks)))
    return instance, Schedule([*schedule.placements, again])


def add_node(rng, instance, schedule):
    """Hold a processor more than needed that is idle."""
    one = rng.choice(schedule.placements)
    spare = _idle_during(instance, schedule, one)
    if not spare:
        return None
    held = [(name, number) for name, numbers in one.nodes.items() for number in numbers]
    return instance, swap(schedule, one, nodes=by_cluster([*held, rng.choice(spare)]))


def release_later(rng, instance, schedule):
    """Release the last job of an organization after its start."""
    runs = {one.job: one for one in schedule.placements}
    ended = [k for k, own in enumerate(instance.organizations) if own.jobs[-1].id in runs]
    if not ended:
        return None
    k = rng.choice(ended)
    own = instance.organizations[k]
    if not any(job.release < instance.horizon for job in instance.jobs if job is not own.jobs[-1]):
        return None
    last = replace(own.jobs[-1], release=runs[own.jobs[-1].id].start + rng.choice((1, 5)))
    return _with(instance, k, jobs=(*own.jobs[:-1], last)), schedule


def start_before_zero(rng, instance, schedule):
    """Shift everything, and the horizon, to before 0, where no release binds."""
    step = rng.randint(1, 3)
    if any(job.release for job in instance.jobs) or instance.horizon <= step:
        return None
    early = [replace(one, start=one.start - step, end=one.end - step) for one in schedule.placements]
    return instance.with_horizon(instance.horizon - step), Schedule(early)


def start_at_the_horizon(_rng, instance, schedule):
    """Let the horizon be when the last job starts."""
    last = int(schedule.placements[-1].start)
    if all(job.release >= last for job in instance.jobs):
        return None
    return instance.with_horizon(last), schedule


def share_processor(rng, instance, schedule):
    """Give a job a processor of one that still runs."""

    def change(one):
        others = [two for two in schedule.placements if two is not one and two.start <= one.start < two.end]
        if not others:
            return None
        held = [(name, number) for name, numbers in one.nodes.items() for number in numbers]
        name, numbers = next(iter(rng.choice(others).nodes.items()))
        return {"nodes": by_cluster([*held[1:], (name, numbers[0])])}

    return _at_a_quiet_moment(rng, instance, schedule, change)


def swap_alike(rng, instance, schedule):
    """Let two jobs of one organization that are alike change places, though one is presented first."""
    runs = {one.job: one for one in schedule.placements}
    for own in rng.sample(instance.organizations, len(instance.organizations)):
        for first in own.jobs:
            for second in own.jobs:
                if (
                    first.id not in runs
                    or second.id not in runs
                    or (first.time, first.processors) != (second.time, second.processors)
                ):
                    continue
                one, two = runs[first.id], runs[second.id]
                if second.release <= one.start < two.start and _alone_between(own, runs, one, two):
                    kept = [placement for placement in schedule.placements if placement not in (one, two)]
                    return instance, Schedule([*kept, replace(one, job=two.job), replace(two, job=one.job)])
    return None


def leave_out_the_last(rng, instance, schedule):
    """Leave out the last job that an organization starts."""
    one = rng.choice(_last_of_each(instance, schedule))
    return instance, Schedule(placement for placement in schedule.placements if placement is not one)


def delay_the_last(rng, instance, schedule):
    """Delay the last job that an organization starts, by a unit or a hair, where its processors stay idle."""
    for one in rng.sample(_last_of_each(instance, schedule), len(_last_of_each(instance, schedule))):
        step = rng.choice((F(1), HAIR))
        held = nodes_of(one)
        later = replace(one, start=one.start + step, end=one.end + step)
        if later.start < instance.horizon and held <= set(_idle_during(instance, schedule, later, beside=one)):
            return instance, swap(schedule, one, start=later.start, end=later.end)
    return None


def _at_a_quiet_moment(rng, instance, schedule, change):
    """Change a job that starts when nobody is left to wait, and look no further: then no idle processor counts."""
    for one in rng.sample(schedule.placements, len(schedule.placements)):
        begun = Schedule(two for two in schedule.placements if two.start <= one.start)
        started = {two.job for two in begun.placements}
        if all(job.id in started or job.release > one.start for job in instance.jobs):
            changes = change(one)
            if changes is not None:
                return instance.with_horizon(int(one.start) + 1), swap(begun, one, **changes)
    return None


def _idle_during(instance, schedule, run, beside=None):
    """Processors that no job has while `run` runs, but perhaps the job `beside`."""
    nodes = {(own.id, number) for own in instance.organizations for number in range(own.processors)}
    for one in schedule.placements:
        if one is not beside and one.start < run.end and run.start < one.end:
            nodes -= nodes_of(one)
    return sorted(nodes)


def _last_of_each(instance, schedule):
    runs = {one.job: one for one in schedule.placements}
    started = ([runs[job.id] for job in own.jobs if job.id in runs] for own in instance.organizations)
    return [own[-1] for own in started if own]


def _alone_between(own, runs, one, two):
    """Whether the organization starts nothing else from the start of `one` until that of `two`."""
    others = [runs[job.id] for job in own.jobs if job.id in runs and job.id not in (one.job, two.job)]
    return not any(one.start <= other.start <= two.start for other in others)


def _with(instance, k, **changes):
    own = instance.organizations
    changed = replace(own[k], **changes)
    return replace(instance, organizations=(*own[:k], changed, *own[k + 1 :]))


def quietly(change):
    """Return the mutation that applies the change where no job is left to wait."""

    @wraps(change)
    def mutate(rng, instance, schedule):
        sizes = dict(instance.cluster_sizes)
        return _at_a_quiet_moment(rng, instance, schedule, lambda one: change(rng, one, sizes))

    return mutate


MUTATIONS = (
    ("unknown_job", common.add_unknown_job, True),
    ("duplicate_job", run_twice, True),
    ("unknown_cluster", quietly(common.use_unknown_cluster), True),
    ("unknown_cluster", anywhere(common.add_unknown_cluster), False),
    ("unknown_node", quietly(common.use_unknown_node), True),
    ("tasks", anywhere(common.name_node_twice), True),
    ("tasks", quietly(common.name_node_twice_for_another), True),
    ("tasks", quietly(common.drop_node), True),
    ("tasks", add_node, True),
    ("start", release_later, True),
    ("start", start_before_zero, True),
    ("horizon", start_at_the_horizon, True),
    ("duration", quietly(common.shorten), True),
    ("duration", anywhere(common.run_backwards), False),
    ("capacity", share_processor, True),
    ("fifo", swap_alike, True),
    ("greedy", leave_out_the_last, True),
    ("greedy", delay_the_last, True),
)
