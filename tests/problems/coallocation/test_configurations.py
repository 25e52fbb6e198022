"""Configurations against their definition: sets of jobs with allocations that nodes and links carry together."""

from __future__ import annotations

from itertools import product

import pytest

from oas.core.errors import TooLargeError
from oas.generate.coallocation.saturated import saturated
from oas.problems.coallocation.allocations import allocations
from oas.problems.coallocation.configurations import configurations
from oas.problems.coallocation.rates import rates
from tests.problems.coallocation.test_saturation import grid


def every_choice(instance):
    scaled = instance.scaled()
    return [allocations(scaled, job) for job in range(scaled.job_count)]


def by_definition(instance, choices):
    """Choose for each job one of its allocations or none, and keep what fits."""
    scaled = instance.scaled()
    found = {}
    for indices in product(*[[None, *range(len(own))] for own in choices]):
        members = tuple((job, index) for job, index in enumerate(indices) if index is not None)
        running = [(job, choices[job][index]) for job, index in members]
        nodes = [sum(one.counts[place] for _, one in running) for place in range(len(scaled.classes))]
        links = [sum(one.loads[place] for _, one in running) for place in range(scaled.cluster_count)]
        fits = all(asked <= len(one.nodes) for asked, one in zip(nodes, scaled.classes, strict=True))
        fits = fits and all(asked <= most for asked, most in zip(links, scaled.link_capacity, strict=True))
        if running and fits:
            found[members] = tuple(rates(instance, running))
    return found


@pytest.mark.parametrize("threshold", [None, "1/2", 1])
@pytest.mark.parametrize("sharing", ["paper", "max-min"])
def test_they_are_what_the_definition_says(threshold, sharing):
    for seed in range(6):
        instance = saturated(seed=seed, jobs=3, threshold=threshold, sharing=sharing)
        choices = every_choice(instance)
        listed = configurations(instance, choices, cap=10_000, formulation="phases")
        assert {one.members: one.rates for one in listed} == by_definition(instance, choices)
        assert len({one.members for one in listed}) == len(listed)


def test_jobs_that_are_kept_apart():
    instance = grid("slowdown")
    choices = every_choice(instance)
    every = configurations(instance, choices, cap=100_000, formulation="phases")
    kept = configurations(instance, choices, cap=100_000, formulation="phases", apart={frozenset((0, 2))})
    assert [one for one in every if not {0, 2} <= {job for job, _ in one.members}] == list(kept)
    assert len(kept) < len(every)


def test_too_many_are_refused_by_name():
    instance = grid("slowdown")
    choices = every_choice(instance)
    count = len(configurations(instance, choices, cap=100_000, formulation="phases"))
    assert len(configurations(instance, choices, cap=count, formulation="phases")) == count
    message = f"the phases model would have more than {count - 1:,} configurations"
    with pytest.raises(TooLargeError, match=message):
        configurations(instance, choices, cap=count - 1, formulation="phases")
