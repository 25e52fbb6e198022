from collections import Counter
from fractions import Fraction as F
from itertools import pairwise
from random import Random
from statistics import fmean

import pytest

from oas.core.errors import InputError
from oas.core.verifier import verify
from oas.generate import swf, uni
from oas.generate.mosp.section7 import pareto_sizes, zipf_owners
from oas.problems.mosp.runs import local_schedule


@pytest.mark.parametrize("generate", [uni, swf])
def test_shape_of_an_instance(generate) -> None:  # type: ignore[no-untyped-def]
    instance = generate(seed=3, jobs=40, organizations=6, processors=32)
    assert [one.processors for one in instance.organizations] == [32] * 6
    assert sorted(job.id for job in instance.jobs) == sorted(f"J{k}" for k in range(1, 41))
    assert instance.locality == 1
    assert all(job.release == 0 and job.time.denominator == 1 for job in instance.jobs)
    assert not verify(instance, local_schedule(instance))


def test_uni_covers_its_ranges_evenly() -> None:
    jobs = uni(seed=1, jobs=3000, organizations=20, processors=32).jobs
    times, widths = Counter(int(job.time) for job in jobs), Counter(job.processors for job in jobs)
    assert sorted(times) == list(range(1, 51))
    assert sorted(widths) == list(range(1, 33))
    # Pearson's statistic; the mean is 49 and 31, five standard deviations above are 99 and 71.
    assert sum((count - 60) ** 2 / 60 for count in times.values()) < 99
    assert sum((count - 93.75) ** 2 / 93.75 for count in widths.values()) < 71


def test_swf_needs_fewer_processors_than_a_cluster_has() -> None:
    for processors in (2, 3, 32, 100):
        jobs = swf(seed=2, jobs=400, organizations=20, processors=processors).jobs
        assert max(job.processors for job in jobs) < processors
        assert min(job.time for job in jobs) >= 1
    widths = [job.processors for job in swf(seed=2, jobs=2000, organizations=20, processors=32).jobs]
    assert max(widths) > 16  # the cap leaves out nothing but m itself


def test_owners_follow_zipf() -> None:
    count = 40_000
    owned = Counter(zipf_owners(Random(5), count, 20))
    total = sum(rank**-1.4267 for rank in range(1, 21))
    assert round(1 / total, 2) == 0.43  # O1's share of the jobs among 20 organizations
    for rank in range(1, 21):
        share = rank**-1.4267 / total
        deviation = (share * (1 - share) / count) ** 0.5
        assert abs(owned[rank - 1] / count - share) < 4 * deviation


def test_clusters_follow_pareto() -> None:
    sizes = pareto_sizes(Random(7), 20_000, 128, 1.0)
    assert min(sizes) == 128
    assert 1000 < max(sizes) <= 1024
    # P(size ≤ s) = (1 − 128/s) / (1 − 128/1024) under the cutoff
    for limit in (160, 256, 512):
        below = sum(size < limit for size in sizes) / len(sizes)
        assert abs(below - (1 - 128 / limit) / (1 - 1 / 8)) < 0.015
    means = [fmean(pareto_sizes(Random(7), 5000, 128, shape)) for shape in (1.0, 2.0, 5.0, 10.0)]
    assert all(one > other for one, other in pairwise(means))
    assert means[-1] < 128 * 10 / 9 * 1.02  # nearly homogeneous


def test_seed_fixes_jobs_and_owners_whatever_the_clusters() -> None:
    plain, varied = uni(seed=4, organizations=10), uni(seed=4, organizations=10, pareto="1.5")
    assert [one.jobs for one in plain.organizations] == [one.jobs for one in varied.organizations]
    assert {one.processors for one in plain.organizations} == {128}
    assert len({one.processors for one in varied.organizations}) > 5
    assert varied.provenance["pareto"] == str(F(3, 2))
    assert uni(seed=4).digest != uni(seed=5).digest


def test_local_policy() -> None:
    highest, random = uni(seed=6, local="HF"), uni(seed=6, local="RND")
    assert highest.organizations == random.organizations
    assert highest.local != random.local
    assert random.provenance["local"] == "RND"


def test_digests_stay() -> None:
    """What a seed stands for never changes under one version; a change here wants a new version in the provenance."""
    made = [
        uni(),
        uni(seed=9, jobs=100, organizations=10, processors=512, pareto=2),
        swf(),
        swf(seed=9, jobs=100, organizations=20, processors=32),
    ]
    assert [instance.digest[:16] for instance in made] == [
        "61e53957bff12698",
        "4cc0da88174d6321",
        "05610e793ac6a0cf",
        "1e0cc04419667bc3",
    ]
    assert {instance.provenance["version"] for instance in made} == {"1"}


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"seed": -1}, "seed"),
        ({"jobs": 0}, "jobs"),
        ({"organizations": 0}, "organizations"),
        ({"processors": 0}, "processors"),
        ({"processors": True}, "processors"),
        ({"pareto": 0}, "pareto"),
        ({"pareto": 1.5}, "pareto"),
        ({"pareto": "1e9"}, "pareto"),
        ({"pareto": 1, "processors": 1000}, "processors"),
        ({"local": "BEST"}, "local"),
    ],
)
def test_bad_parameters_are_named(arguments, field) -> None:  # type: ignore[no-untyped-def]
    for generate in (uni, swf):
        with pytest.raises(InputError) as caught:
            generate(**arguments)
        assert caught.value.field == field


def test_swf_needs_two_processors() -> None:
    with pytest.raises(InputError, match="at least 2"):
        swf(processors=1)
    assert {job.processors for job in uni(processors=1).jobs} == {1}
