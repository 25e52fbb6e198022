"""The optimum of jobs on prescribed nodes under slowdown, by the enumeration of the checker."""

from oas.checker.coallocation_spread import SlowedOptions
from oas.checker.effort import Effort
from oas.checker.files import parse_document
from oas.checker.main import read_instance
from oas.checker.slowed_brute_force import SlowedEnumeration
from oas.io import dumps


class _GivenOptions(SlowedOptions):
    """One option for each job; each node is a class of its own."""

    def __init__(self, instance, nodes):
        super().__init__(instance, Effort())
        every = [(one.id, k) for one in instance.clusters for k in range(one.size)]
        powers = {one.id: [power for count, power in one.groups for _ in range(count)] for one in instance.clusters}
        self.sizes = (1,) * len(every)
        self.rows = []
        for index, job in enumerate(instance.jobs):
            held = nodes[job.id]
            counts = tuple(int(k in held.get(name, ())) for name, k in every)
            loads = tuple(self.scaled.link_loads[index][len(held.get(one.id, ()))] for one in instance.clusters)
            slowest = self.scaled.powers.index(min(powers[name][k] for name, own in held.items() for k in own))
            classes = [int(own.level == slowest) for own in self.scaled.classes]
            self.rows.append([self._option(index, classes, loads)._replace(counts=counts)])


def optimum_on(instance, nodes):
    """Return the minimum makespan with these nodes, by job and cluster."""
    options = _GivenOptions(read_instance(parse_document(dumps(instance))), nodes)
    search = SlowedEnumeration(options, 10**100, Effort())
    search.kinds = [(job.id,) for job in instance.jobs]  # equal jobs on different nodes are not interchangeable
    search.run()
    return search.limit * options.span
