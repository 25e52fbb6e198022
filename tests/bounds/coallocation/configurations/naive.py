"""What fits together on a grid, found by trying everything."""

from itertools import product

from oas.problems.coallocation.allocations import allocations, tasks_by_cluster


def can_run(scaled, items):
    """Whether some allocations of these (job, level) fit together: by trying all of them."""
    choices = []
    for job, level in items:
        own = [
            one
            for one in allocations(scaled, job)
            if all(
                not count or node_class.level <= level
                for count, node_class in zip(one.counts, scaled.classes, strict=True)
            )
        ]
        choices.append(own)
    for chosen in product(*choices):
        nodes = [sum(one.counts[k] for one in chosen) for k in range(len(scaled.classes))]
        loads = [sum(one.loads[k] for one in chosen) for k in range(scaled.cluster_count)]
        assert all(sum(tasks_by_cluster(scaled, one.counts)) for one in chosen)
        if all(held <= len(own.nodes) for held, own in zip(nodes, scaled.classes, strict=True)) and all(
            load <= link for load, link in zip(loads, scaled.link_capacity, strict=True)
        ):
            return True
    return False


def subsets(modes):
    """Every set of jobs, each in one of its modes, as (job, level)."""
    choices = [[None, *((job, mode.level) for mode in row)] for job, row in enumerate(modes)]
    return [tuple(item for item in chosen if item) for chosen in product(*choices)]
