"""Every configuration of a small instance, one after another."""

from itertools import product


def configurations(options, allowed=None):
    """Yield each set of (job, option) that can run together, not only those to which no job can be added."""
    kept = allowed or options.every()
    for chosen in product(*([None, *sorted(own)] for own in kept)):
        items = tuple((job, option) for job, option in enumerate(chosen) if option is not None)
        if items and fits(options, items):
            yield items


def fits(options, items):
    """Whether nodes and links hold them."""
    own = [options.rows[job][option].allocation for job, option in items]
    nodes = [sum(one.counts[kind] for one in own) for kind in range(len(options.sizes))]
    loads = [sum(one.loads[link] for one in own) for link in range(len(options.capacity))]
    return all(one <= most for one, most in zip((*nodes, *loads), (*options.sizes, *options.capacity), strict=True))


def runs_together(jobs, count, ranks):
    """Whether these jobs and no others run somewhere, where events have these ranks in time; jobs last."""
    for moment in range(2 * count + 1):
        now = moment + 0.5
        if {job for job in range(count) if ranks[2 * job] < now < ranks[2 * job + 1]} == set(jobs):
            return True
    return False
