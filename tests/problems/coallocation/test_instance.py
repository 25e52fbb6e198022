import pickle
import re
from dataclasses import FrozenInstanceError, replace
from fractions import Fraction as F
from typing import Any

import pytest
from hypothesis import given

from oas.core.errors import InputError
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from tests.strategies import instances

FAST, SLOW = NodeGroup(2, 1), NodeGroup(1, "0.5")


def two_clusters(**changes: Any) -> CoallocationInstance:
    fields: dict[str, Any] = {
        "clusters": [Cluster("A", [FAST, SLOW], 10), Cluster("B", [SLOW], "1/3")],
        "jobs": [Job("J1", 2, 5, 1, "0.7"), Job("J2", 4, "2.5")],
        "slot": 2,
    }
    return CoallocationInstance(**fields | changes)


def refused(message: str, make: Any, *arguments: Any, **named: Any) -> None:
    with pytest.raises(InputError, match="^" + re.escape(message)):
        make(*arguments, **named)


def test_decimals_are_read_exactly() -> None:
    job = Job("J", 1, "0.1", "0.2", "0.7")
    assert (job.base_time, job.bandwidth, job.sigma) == (F(1, 10), F(1, 5), F(7, 10))
    assert NodeGroup(1, ".75".zfill(4)).power == F(3, 4)


def test_sizes_and_powers() -> None:
    instance = two_clusters()
    assert instance.node_count == 4
    assert instance.clusters[0].size == 3
    assert instance.clusters[0].node_powers == (1, 1, F(1, 2))
    assert instance.mean_base_time == F(15, 4)


def test_node_group_fields() -> None:
    refused("count: must be at least 1 (got 0)", NodeGroup, 0, 1)
    refused("count: must be at least 1 (got -1)", NodeGroup, -1, 1)
    refused("count: must be an integer (got True)", NodeGroup, True, 1)
    refused("count: must be an integer (got 2.5)", NodeGroup, 2.5, 1)
    refused("power: must be above 0 and at most 1 (got '0')", NodeGroup, 1, 0)
    refused("power: must be above 0 and at most 1 (got '-1/2')", NodeGroup, 1, "-0.5")
    refused("power: must be above 0 and at most 1 (got '3/2')", NodeGroup, 1, F(3, 2))
    refused("power: a float may be rounded", NodeGroup, 1, 0.5)
    assert NodeGroup(1, 1).power == 1


def test_cluster_fields() -> None:
    refused("id: must be 1 to 200 printable characters", Cluster, "", [FAST], 1)
    refused("id: must be text (got 7)", Cluster, 7, [FAST], 1)
    refused("groups: a cluster needs at least one group", Cluster, "A", [], 1)
    refused("bandwidth: must not be negative (got '-1/3')", Cluster, "A", [FAST], "-1/3")
    refused("bandwidth: not a number", Cluster, "A", [FAST], None)
    assert Cluster("A", [FAST], 0).bandwidth == 0


def test_job_fields() -> None:
    refused("id: must be 1 to 200 printable characters", Job, "a\n", 1, 1)
    refused("tasks: must be at least 1 (got 0)", Job, "J", 0, 1)
    refused("tasks: must be an integer (got '1')", Job, "J", "1", 1)
    refused("base_time: must be above 0 (got '0')", Job, "J", 1, 0)
    refused("base_time: must be above 0 (got '-5')", Job, "J", 1, -5)
    refused("base_time: not a number; write a decimal", Job, "J", 1, "nan")
    refused("bandwidth: must not be negative (got '-1')", Job, "J", 1, 1, -1)
    refused("sigma: must be between 0 and 1 (got '-1/10')", Job, "J", 1, 1, 0, "-0.1")
    refused("sigma: must be between 0 and 1 (got '11/10')", Job, "J", 1, 1, 0, "1.1")
    assert Job("J", 1, 1, sigma=0).sigma == 0
    assert (Job("J", 1, 1).bandwidth, Job("J", 1, 1).sigma) == (0, 1)


def test_instance_fields() -> None:
    refused("clusters: at least one cluster", two_clusters, clusters=[])
    refused("jobs: at least one job", two_clusters, jobs=[])
    refused("slot: must not be negative (got '-1')", two_clusters, slot=-1)
    refused("slot: a float may be rounded", two_clusters, slot=0.5)
    refused("saturation: unknown policy; known: forbid, slowdown (got 'allow')", two_clusters, saturation="allow")
    refused("saturation: unknown policy", two_clusters, saturation=["forbid"])
    refused("name: must be 1 to 200 printable characters", two_clusters, name="a\x00")
    twice = [Cluster("A", [FAST], 1), Cluster("B", [FAST], 1), Cluster("A", [SLOW], 1)]
    refused("clusters[2].id: the same id as clusters[0] (got 'A')", two_clusters, clusters=twice)
    refused("jobs[1].id: the same id as jobs[0] (got 'J')", two_clusters, jobs=[Job("J", 1, 1), Job("J", 2, 3)])
    wide = [Job("J1", 4, 1), Job("J2", 5, 1)]
    refused("jobs[1].tasks: more tasks than the 4 nodes there are (got 5)", two_clusters, jobs=wide)


def test_with_slot_changes_the_slot_only() -> None:
    instance = two_clusters(name="grid", provenance={"source": "test"})
    other = instance.with_slot("0.5")
    assert other.slot == F(1, 2)
    assert (other.clusters, other.jobs, other.name) == (instance.clusters, instance.jobs, "grid")
    assert other.provenance == {"source": "test"}
    assert instance.slot == 2
    assert other.with_slot(2) == instance
    refused("slot: must not be negative", instance.with_slot, -1)


def test_digest_ignores_names_and_provenance_and_notation() -> None:
    instance = two_clusters()
    clusters = [replace(cluster, id=f"other {cluster.id}") for cluster in instance.clusters]
    jobs = [replace(job, id=f"other {job.id}") for job in instance.jobs]
    renamed = two_clusters(clusters=clusters, jobs=jobs, name="grid", provenance={"seed": "1"})
    assert renamed.digest == instance.digest
    assert two_clusters(slot="4/2").digest == instance.digest
    assert re.fullmatch("[0-9a-f]{64}", instance.digest)


def test_digest_is_stable() -> None:
    """Stored results name instances by digest: a change of it orphans them and needs a new version number."""
    assert two_clusters().digest == "241c9e093a9c609a9e7ea70a5c68ae50aa90a5baa2feb95b0ad908a22dd34b42"


def test_digest_changes_with_every_meaningful_field() -> None:
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
    ]
    digests = [instance.digest, *(other.digest for other in changed)]
    assert len(set(digests)) == len(digests)


def test_digest_does_not_confuse_neighbouring_fields() -> None:
    digests = {
        two_clusters(jobs=[Job("J", 1, *values)]).digest for values in [(1, 0, 1), (1, 1, 0), (1, 1, 1), (11, 0, 1)]
    }
    assert len(digests) == 4


def test_instances_are_immutable() -> None:
    instance = two_clusters()
    for thing, name in (
        (instance, "slot"),
        (instance.jobs[0], "tasks"),
        (instance.clusters[0], "groups"),
        (FAST, "power"),
    ):
        with pytest.raises(FrozenInstanceError):
            setattr(thing, name, 1)
    assert isinstance(instance.jobs, tuple)
    assert isinstance(instance.clusters[0].groups, tuple)


def test_lists_and_mappings_are_copied() -> None:
    jobs, provenance = [Job("J1", 1, 1)], {"a": "b"}
    instance = two_clusters(jobs=jobs, provenance=provenance)
    jobs.append(Job("J2", 1, 1))
    provenance["c"] = "d"
    assert len(instance.jobs) == 1
    assert instance.provenance == {"a": "b"}


def test_equality_and_hash() -> None:
    one, two = two_clusters(provenance={"a": "b"}), two_clusters()
    assert one == two
    assert hash(one) == hash(two)
    assert {one: 1}[two] == 1
    assert one != one.with_slot(3)


@given(instances())
def test_pickling(instance: CoallocationInstance) -> None:
    digest = instance.digest
    assert instance.clusters[0].node_powers  # a cached value must not get in the way
    copy = pickle.loads(pickle.dumps(instance))
    assert copy == instance
    assert hash(copy) == hash(instance)
    assert copy.digest == digest
    assert copy.scaled() == instance.scaled()


def test_a_grid_too_large_to_list_is_refused():
    huge = Cluster("huge", [NodeGroup(10**12, 1)], 0)
    with pytest.raises(InputError, match=r"clusters: more than 100000 nodes in all \(got 1000000000000\)"):
        CoallocationInstance([huge], [Job("j", 1, 1)])
