"""Ways to break a feasible MOSP schedule, one rule at a time; see `tests.core.mutations`."""

from dataclasses import replace
from fractions import Fraction as F
from itertools import pairwise

from oas.core.rigid import Organization, Reservation
from oas.core.schedule import Schedule
from tests.core import mutations as common
from tests.core.mutations import anywhere, swap
from tests.mosp.naive import naive_mosp_accepts


def run_twice(rng, instance, schedule):
    """Run a job once more when everything is over."""
    again, late = rng.choice(schedule.placements), _after_all(instance, schedule)
    shifted = replace(again, start=late, end=late + again.duration)
    return instance.with_locality(None), Schedule([*schedule.placements, shifted])


def start_before_zero(rng, instance, schedule):
    """Shift everything until the first job starts below 0."""
    if any(one.reservations for one in instance.organizations):
        return None
    step = schedule.placements[0].start + F(1, rng.randint(1, 10**6))
    return instance, Schedule(replace(one, start=one.start - step, end=one.end - step) for one in schedule.placements)


def share_processor(rng, instance, schedule):
    """Let two jobs that run together, and fit together, have one processor in common."""
    for one in rng.sample(schedule.placements, len(schedule.placements)):
        for two in schedule.placements:
            if two is one or set(two.nodes) != set(one.nodes) or not _overlap(one, two):
                continue
            ((name, own),) = one.nodes.items()
            return instance, swap(schedule, one, nodes={name: [*own[1:], min(two.nodes[name])]})
    return None


def spread_over_clusters(rng, instance, schedule):
    """Put one of a job's processors on another cluster, where it is idle."""
    one = rng.choice(schedule.placements)
    ((name, own),) = one.nodes.items()
    if len(own) < 2:
        return None
    elsewhere = replace(instance, organizations=(*instance.organizations, Organization("spare", 2)))
    return elsewhere, swap(schedule, one, nodes={name: own[1:], "spare": [rng.randint(0, 1)]})


def reserve_in_a_run(rng, instance, schedule):
    """Reserve, in the midst of a run, one processor more than are left."""
    one = rng.choice(schedule.placements)
    ((name, _),) = one.nodes.items()
    cluster = _cluster(instance, name)
    here = [two for two in schedule.placements if name in two.nodes]
    cuts = sorted({moment for run in (*here, *cluster.reservations) for moment in (run.start, run.end)})
    early, late = rng.choice([pair for pair in pairwise(cuts) if one.start <= pair[0] < one.end])
    middle = (early + late) / 2
    busy = sum(len(two.nodes[name]) for two in here if two.start <= early < two.end)
    reserved = sum(two.processors for two in cluster.reservations if two.start <= early < two.end)
    more = Reservation(middle, late, cluster.processors - busy - reserved + 1)
    organizations = tuple(
        replace(own, reservations=(*own.reservations, more)) if own is cluster else own
        for own in instance.organizations
    )
    late_local = {job: start + _after_all(instance, schedule) for job, start in instance.local.items()}
    return replace(instance, organizations=organizations, local=late_local), schedule


def end_late(rng, instance, schedule):
    """Delay everything beyond the local makespans of some organizations."""
    if any(one.reservations for one in instance.organizations):
        return None
    delay = max(instance.local_makespans) * F(rng.randint(1, 20), 10)
    moved = Schedule(replace(one, start=one.start + delay, end=one.end + delay) for one in schedule.placements)
    strict = instance.with_locality(rng.choice((1, F(3, 2))))
    return None if naive_mosp_accepts(strict, moved) else (strict, moved)


def _cluster(instance, name):
    return next(one for one in instance.organizations if one.id == name)


def _after_all(instance, schedule):
    return max(schedule.makespan, *(held.end for own in instance.organizations for held in own.reservations), F(0))


def _overlap(one, two):
    return one.start < two.end and two.start < one.end


MUTATIONS = (
    ("unknown_job", common.add_unknown_job, True),
    ("missing_job", common.drop_job, True),
    ("duplicate_job", run_twice, True),
    ("unknown_cluster", anywhere(common.use_unknown_cluster), True),
    ("unknown_cluster", anywhere(common.add_unknown_cluster), False),
    ("unknown_node", anywhere(common.use_unknown_node), True),
    ("tasks", anywhere(common.name_node_twice), True),
    ("tasks", anywhere(common.name_node_twice_for_another), True),
    ("tasks", anywhere(common.drop_node), True),
    ("tasks", anywhere(common.add_node), False),
    ("start", start_before_zero, True),
    ("duration", anywhere(common.shorten), True),
    ("duration", anywhere(common.run_backwards), False),
    ("capacity", share_processor, True),
    ("one_cluster", spread_over_clusters, True),
    ("reservation", reserve_in_a_run, True),
    ("locality", end_late, True),
)
