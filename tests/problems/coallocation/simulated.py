"""Plans run by SimPy: every job is a process that works at the speed of the moment. A second opinion on the executor.

Of the toolkit only instances and schedules are used. Times are Fractions.
"""

from __future__ import annotations

from fractions import Fraction as F
from math import ceil

import simpy


def simulated(instance, plan, keep_starts):
    """Return start and end of each job, by its id."""
    world = _World(instance, plan, keep_starts)
    world.env.run()
    return world.times


class _World:
    def __init__(self, instance, plan, keep_starts):
        self.env = simpy.Environment(initial_time=F(0))
        self.instance, self.keep_starts = instance, keep_starts
        self.index = {job.id: number for number, job in enumerate(instance.jobs)}
        runs = sorted(plan.placements, key=lambda one: (one.start, self.index[one.job]))
        self.waiting = {one.job: one for one in runs}  # in the plan's order
        self.processes, self.times, self.poked = {}, {}, False
        self.places = {one.job: one for one in runs}
        for one in runs:
            self.env.process(self.arrival(one))

    def job(self, name):
        return self.instance.jobs[self.index[name]]

    def on_grid(self, moment):
        slot = self.instance.slot
        return ceil(moment / slot) * slot if slot else moment

    def demand(self, name):
        """What a job asks of each link that it loads: c·PTBW·(τ − c)/(τ − 1)."""
        job, asked = self.job(name), {}
        for cluster, nodes in self.places[name].nodes.items():
            if len(nodes) < job.tasks:
                asked[cluster] = F(len(nodes) * (job.tasks - len(nodes)), job.tasks - 1) * job.bandwidth
        return {cluster: load for cluster, load in asked.items() if load}

    def arrival(self, run):
        yield self.env.timeout(self.on_grid(run.start) if self.keep_starts else F(0))
        run_job = run.job
        self.times[run_job] = None
        self.poke()

    def poke(self):
        """Have all that happens at this moment happen; then look at who starts."""
        if not self.poked:
            self.poked = True
            self.env.process(self.settle())

    def settle(self):
        yield self.env.timeout(F(0))
        self.poked = False
        before, nodes_taken, links_taken, fresh = list(self.processes.items()), set(), set(), []
        room = {one.id: self.limit(one) for one in self.instance.clusters}
        for name in self.processes:
            nodes_taken |= self.nodes(name)
            for cluster, load in self.demand(name).items():
                room[cluster] -= load
        for name in list(self.waiting):
            asked = self.demand(name)
            free = name in self.times and not self.nodes(name) & nodes_taken and not set(asked) & links_taken
            if free and all(room[cluster] >= load for cluster, load in asked.items()):
                for cluster, load in asked.items():
                    room[cluster] -= load
                fresh.append(name)
                del self.waiting[name]
            else:
                links_taken |= set(asked)  # those behind it on its links wait too
            nodes_taken |= self.nodes(name)  # and those behind it on its nodes
        self.processes.update(dict.fromkeys(fresh))
        for _, process in before:
            process.interrupt()
        for name in fresh:
            self.processes[name] = self.env.process(self.work(name))

    def nodes(self, name):
        return {(cluster, node) for cluster, own in self.places[name].nodes.items() for node in own}

    def limit(self, cluster):
        saturation = self.instance.saturation
        if saturation.policy == "forbid" or not cluster.bandwidth:
            return cluster.bandwidth
        return cluster.bandwidth / saturation.threshold if saturation.threshold else F(10**30)

    def work(self, name):
        start, left = self.env.now, F(1)
        while True:
            since, speed = self.env.now, self.speed(name)
            try:
                yield self.env.timeout(self.on_grid(since + max(left, F(0)) / speed) - since)
                break
            except simpy.Interrupt:
                left -= speed * (self.env.now - since)
        self.times[name] = (start, self.env.now)
        del self.processes[name]
        self.poke()

    def speed(self, name):
        job, powers = self.job(name), {one.id: one.node_powers for one in self.instance.clusters}
        slowest = min(powers[cluster][node] for cluster, node in self.nodes(name))
        return 1 / (job.base_time * (job.sigma / slowest + (1 - job.sigma) / self.share(name)))

    def share(self, name):
        """The share of its demand that a job gets."""
        demands = {other: self.demand(other) for other in self.processes}
        widths = {one.id: one.bandwidth for one in self.instance.clusters}
        if self.instance.saturation.sharing == "paper":
            totals = {link: sum((one.get(link, F(0)) for one in demands.values()), F(0)) for link in widths}
            return min([F(1), *(widths[link] / totals[link] for link in demands[name])])
        shares = {}
        while len(shares) < len(demands):  # one link after another: that which is full first
            full = {}
            for link, width in widths.items():
                growing = sum((one.get(link, F(0)) for other, one in demands.items() if other not in shares), F(0))
                if growing:
                    settled = sum((shares[other] * demands[other].get(link, F(0)) for other in shares), F(0))
                    full[link] = (width - settled) / growing
            link = min(full, key=full.__getitem__, default=None)
            if link is None or full[link] >= 1:
                shares.update({other: F(1) for other in demands if other not in shares})
            else:
                held = [other for other in demands if other not in shares and link in demands[other]]
                shares.update(dict.fromkeys(held, full[link]))
        return shares[name]
