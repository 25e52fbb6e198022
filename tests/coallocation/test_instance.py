"""Instances of co-allocation and their saturation policies: what is refused, what they mean, and their digest."""

import re
from dataclasses import replace
from fractions import Fraction as F

import pytest

from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.coallocation.saturation import Saturation
from oas.core.errors import InputError
from oas.io import dumps, loads
from tests.coallocation.grids import four_jobs

FAST, SLOW = NodeGroup(2, 1), NodeGroup(1, "0.5")


def two_clusters(**changes):
    fields = {
        "clusters": [Cluster("A", [FAST, SLOW], 10), Cluster("B", [SLOW], "1/3")],
        "jobs": [Job("J1", 2, 5, 1, "0.7"), Job("J2", 4, "2.5")],
        "slot": 2,
    }
    return CoallocationInstance(**fields | changes)


TWICE = [Cluster("A", [FAST], 1), Cluster("B", [FAST], 1), Cluster("A", [SLOW], 1)]


@pytest.mark.parametrize(
    ("make", "arguments", "message"),
    [
        (NodeGroup, (0, 1), "count: must be at least 1 (got 0)"),
        (NodeGroup, (1, 0), "power: must be above 0 and at most 1 (got '0')"),
        (NodeGroup, (1, F(3, 2)), "power: must be above 0 and at most 1 (got '3/2')"),
        (Cluster, ("", [FAST], 1), "id: must be 1 to 200 printable characters"),
        (Cluster, ("A", [], 1), "groups: a cluster needs at least one group"),
        (Cluster, ("A", [FAST], "-1/3"), "bandwidth: must not be negative (got '-1/3')"),
        (Job, ("J", 0, 1), "tasks: must be at least 1 (got 0)"),
        (Job, ("J", 1, 0), "base_time: must be above 0 (got '0')"),
        (Job, ("J", 1, "nan"), "base_time: not a number; write a decimal"),
        (Job, ("J", 1, 1, -1), "bandwidth: must not be negative (got '-1')"),
        (Job, ("J", 1, 1, 0, "1.1"), "sigma: must be between 0 and 1 (got '11/10')"),
        (two_clusters, {"clusters": []}, "clusters: at least one cluster"),
        (two_clusters, {"jobs": []}, "jobs: at least one job"),
        (two_clusters, {"slot": -1}, "slot: must not be negative (got '-1')"),
        (two_clusters, {"name": "a\x00"}, "name: must be 1 to 200 printable characters"),
        (two_clusters, {"clusters": TWICE}, "clusters[2].id: the same id as clusters[0] (got 'A')"),
        (two_clusters, {"jobs": [Job("J", 1, 1), Job("J", 2, 3)]}, "jobs[1].id: the same id as jobs[0] (got 'J')"),
        (
            two_clusters,
            {"jobs": [Job("J1", 4, 1), Job("J2", 5, 1)]},
            "jobs[1].tasks: more tasks than the 4 nodes there are (got 5)",
        ),
        (
            two_clusters,
            {"clusters": [Cluster("huge", [NodeGroup(10**12, 1)], 0)]},
            "clusters: more than 100000 nodes in all (got 1000000000000)",
        ),
    ],
)
def test_fields_that_are_refused(make, arguments, message):
    with pytest.raises(InputError, match="^" + re.escape(message)):
        make(**arguments) if isinstance(arguments, dict) else make(*arguments)


def test_digest_ignores_names_and_provenance_and_notation():
    """Stored results name instances by digest: a change of it orphans them and needs a new version number."""
    instance = two_clusters()
    assert instance.digest == "241c9e093a9c609a9e7ea70a5c68ae50aa90a5baa2feb95b0ad908a22dd34b42"
    clusters = [replace(cluster, id=f"other {cluster.id}") for cluster in instance.clusters]
    jobs = [replace(job, id=f"other {job.id}") for job in instance.jobs]
    renamed = two_clusters(clusters=clusters, jobs=jobs, name="grid", provenance={"seed": "1"}, slot="4/2")
    assert renamed.digest == instance.digest


def test_digest_changes_with_every_meaningful_field():
    instance = two_clusters()
    (first, second), (one, two) = instance.clusters, instance.jobs
    changed = [
        *(two_clusters(slot=slot) for slot in (0, 1, "2.1")),
        *(two_clusters(clusters=[replace(first, bandwidth=F(value)), second]) for value in (0, 11)),
        *(
            two_clusters(clusters=[replace(first, groups=groups), second])
            for groups in (
                [NodeGroup(3, 1), SLOW],
                [NodeGroup(2, "0.9"), SLOW],
                [FAST, NodeGroup(1, "0.25")],
                [SLOW, FAST],
                [FAST, SLOW, SLOW],
                [FAST, NodeGroup(2, "0.5")],
            )
        ),
        two_clusters(clusters=[second, first]),
        two_clusters(clusters=[first, second, replace(second, id="C")]),
        two_clusters(jobs=[one]),
        two_clusters(jobs=[two, one]),
        *(two_clusters(jobs=[replace(one, tasks=tasks), two]) for tasks in (1, 3)),
        *(two_clusters(jobs=[replace(one, base_time=F(time)), two]) for time in (4, "5.5")),
        *(two_clusters(jobs=[replace(one, bandwidth=F(width)), two]) for width in (0, 2)),
        *(two_clusters(jobs=[replace(one, sigma=F(sigma)), two]) for sigma in (0, 1)),
        # Neighbouring fields are not confused.
        *(two_clusters(jobs=[Job("J", 1, *own)]) for own in [(1, 0, 1), (1, 1, 0), (1, 1, 1), (11, 0, 1)]),
    ]
    digests = [instance.digest, *(other.digest for other in changed)]
    assert len(set(digests)) == len(digests)


@pytest.mark.parametrize(
    ("given", "text", "variant"),
    [
        ("forbid", "forbid", "forbid"),
        ("slowdown", "slowdown", "slowdown"),
        ({"policy": "slowdown", "threshold": "1/2"}, "slowdown, threshold 1/2", "slowdown"),
        ({"policy": "slowdown", "sharing": "max-min"}, "slowdown, max-min", "slowdown, max-min"),
        (Saturation("slowdown", F(3, 4), "max-min"), "slowdown, threshold 3/4, max-min", "slowdown, max-min"),
    ],
)
def test_a_policy_is_a_value(given, text, variant):
    instance = four_jobs(given)
    assert str(instance.saturation) == text and instance.variant == variant
    again = loads(dumps(instance))
    assert again == instance and again.digest == instance.digest and hash(again) == hash(instance)
    assert (instance.digest == four_jobs().digest) == (text == "forbid")
    assert instance.with_saturation("forbid") == four_jobs()
    assert instance.with_slot(2).saturation == instance.saturation


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("allow", "saturation: unknown policy; known: forbid, slowdown (got 'allow')"),
        ({"policy": "slowdwn"}, "saturation.policy: unknown policy; did you mean slowdown?"),
        ({"policy": "slowdown", "threshold": "5/4"}, "saturation.threshold: must be above 0 and at most 1"),
        ({"policy": "slowdown", "threshold": 0.5}, "saturation.threshold: "),
        ({"policy": "forbid", "threshold": "1/2"}, "saturation.threshold: is valid only with slowdown"),
        ({"policy": "slowdown", "sharing": "equal"}, "saturation.sharing: unknown sharing"),
        ({"policy": "slowdown", "limit": 1}, "saturation.limit: there is no such field"),
        ({"threshold": 1}, "saturation.policy: is missing"),
        (7, "saturation: "),
    ],
)
def test_policies_that_are_refused(given, message):
    with pytest.raises(InputError, match="^" + re.escape(message)):
        four_jobs(given)
