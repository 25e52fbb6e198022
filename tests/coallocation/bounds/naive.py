"""What fits together, and which jobs run together, found by trying everything; weights that hold for any instance."""

from itertools import product

from oas.coallocation.allocations import allocations, slowest_level
from oas.coallocation.bounds.configurations import Weights
from tests.coallocation.naive import fit_together, sets_that_fit


def can_run(scaled, items):
    """Whether some allocations of these (job, level) fit together: by trying all of them."""
    choices = [
        [one for one in allocations(scaled, job) if slowest_level(scaled, one.counts) <= level] for job, level in items
    ]
    return any(fit_together(scaled, chosen) for chosen in product(*choices))


def subsets(modes):
    """Every set of jobs, each in one of its modes, as (job, level)."""
    choices = [[None, *((job, mode.level) for mode in row)] for job, row in enumerate(modes)]
    return [tuple(item for item in chosen if item) for chosen in product(*choices)]


def configurations(options, allowed=None):
    """Yield each set of (job, option) that can run together, not only those to which no job can be added."""
    choices = [[one.allocation for one in row] for row in options.rows]
    return sets_that_fit(options.scaled, choices, allowed)


def runs_together(jobs, count, ranks):
    """Whether these jobs and no others run somewhere, where events have these ranks in time; jobs last."""
    for moment in range(2 * count + 1):
        now = moment + 0.5
        if {job for job in range(count) if ranks[2 * job] < now < ranks[2 * job + 1]} == set(jobs):
            return True
    return False


def no_weights(scaled):
    """No job weighs anything."""
    return Weights(tuple((0,) * len(scaled.powers) for _ in scaled.tasks), 0)


def area_weights(scaled):
    """Each job weighs its tasks: together they are never more than the nodes."""
    nodes = sum(len(one.nodes) for one in scaled.classes)
    return Weights(tuple((tasks,) * len(scaled.powers) for tasks in scaled.tasks), nodes)


def level_weights(scaled):
    """A job on the fastest nodes alone weighs its tasks, otherwise nothing: never more than those nodes."""
    nodes = sum(len(one.nodes) for one in scaled.classes if one.level == 0)
    return Weights(tuple((tasks, *[0] * (len(scaled.powers) - 1)) for tasks in scaled.tasks), nodes)
