"""The toolkit accepts no instance that the checker refuses: both have the same limits."""

import json
from itertools import count

import pytest

from oas.checker import answers, coallocation_instance, files, mosp_document, mosp_instance, reading
from oas.checker.main import read_instance
from oas.checker.reading import Refused
from oas.coallocation import instance as coallocation
from oas.coallocation import ticks as coallocation_ticks
from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.core import instances, numbers
from oas.core.errors import InputError
from oas.core.rigid import Organization, Reservation, RigidJob
from oas.fair.instance import FairInstance
from oas.io import decoding, documents
from oas.io import loads as load_bytes
from oas.mosp import ticks as mosp_ticks
from oas.mosp.instance import MospInstance

# Of the toolkit and of the checker.
LIMITS = {
    "clusters": (instances.MAX_CLUSTERS, mosp_document.MOSP_MAX_CLUSTERS),
    "jobs": (instances.MAX_JOBS, mosp_document.MOSP_MAX_JOBS),
    "processors": (instances.MAX_NODES, mosp_document.MOSP_MAX_NODES),
    "reservations": (instances.MAX_RESERVATIONS, mosp_document.MOSP_MAX_RESERVATIONS),
    "placements": (instances.MAX_JOBS, answers.MAX_PLACEMENTS),
    "clusters with links": (instances.MAX_CLUSTERS, coallocation_instance.COALLOCATION_MAX_CLUSTERS),
    "groups of nodes": (coallocation.MAX_GROUPS, coallocation_instance.COALLOCATION_MAX_GROUPS),
    "nodes": (coallocation.MAX_NODES, coallocation_instance.COALLOCATION_MAX_NODES),
    "parallel jobs": (instances.MAX_JOBS, coallocation_instance.COALLOCATION_MAX_JOBS),
    "durations": (coallocation_ticks.MAX_DURATIONS, coallocation_instance.COALLOCATION_MAX_DURATIONS),
    "ticks": (mosp_ticks.MAX_TICKS, mosp_instance.MOSP_MAX_TICKS),
    "ticks with links": (coallocation_ticks.MAX_TICKS, coallocation_instance.COALLOCATION_MAX_TICKS),
    "digits": (numbers.MAX_DIGITS, reading.MAX_DIGITS),
    "exponents": (numbers.MAX_EXPONENT, reading.MAX_EXPONENT),
    "bytes": (decoding.MAX_BYTES, files.MAX_BYTES),
    "values": (decoding.MAX_VALUES, files.MAX_VALUES),
    "depth of certificates": (documents.MAX_DEPTH, answers.MAX_CERTIFICATE_DEPTH),
}


@pytest.mark.parametrize("name", LIMITS)
def test_toolkit_and_checker_have_the_same_limit(name):
    ours, checked = LIMITS[name]
    assert ours == checked


def rigid(jobs=1, processors=1, organizations=1, reservations=0):
    """Organizations; the first has all jobs and reservations."""
    number = count()
    own = [RigidJob(f"j{next(number)}", 1, 1) for _ in range(jobs)]
    held = [Reservation(2 * index, 2 * index + 1, 1) for index in range(reservations)]
    others = [Organization(f"O{index}", 1) for index in range(1, organizations)]
    return [Organization("O", processors, own, held), *others]


def linked(jobs=1, nodes=1, clusters=1):
    own = [Cluster(f"C{index}", [NodeGroup(nodes, 1)], 1) for index in range(clusters)]
    return CoallocationInstance(own, [Job(f"j{index}", 1, 1) for index in range(jobs)])


@pytest.mark.parametrize(
    ("make", "field", "value"),
    [
        (lambda: MospInstance(rigid(processors=1_000_001)), "organizations", 1_000_001),
        (lambda: FairInstance(rigid(processors=1_000_001), 5), "organizations", 1_000_001),
        (lambda: MospInstance(rigid(jobs=50_001)), "organizations", 50_001),
        (lambda: MospInstance(rigid(organizations=10_001)), "organizations", 10_001),
        (lambda: MospInstance(rigid(reservations=100_001)), "organizations", 100_001),
        (lambda: linked(nodes=100_001), "clusters", 100_001),
        (lambda: linked(clusters=10_001), "clusters", 10_001),
        (lambda: linked(jobs=50_001), "jobs", 50_001),
        (lambda: Cluster("C", [NodeGroup(1, 1)] * 10_001, 1), "groups", 10_001),
    ],
)
def test_an_instance_beyond_a_limit_cannot_be_created(make, field, value):
    with pytest.raises(InputError, match="more than") as caught:
        make()
    assert (caught.value.field, caught.value.value) == (field, value)


@pytest.mark.parametrize("processors", [1_000_000, 1_000_001])
def test_files_are_read_up_to_the_same_number_of_processors(processors):
    jobs = [{"id": "j", "time": 1, "processors": processors}]
    organizations = [{"id": "O", "processors": processors, "jobs": jobs}]
    document = {"format": "oas-instance", "version": 1, "problem": "mosp", "organizations": organizations}
    data = json.dumps(document).encode()
    if processors > 1_000_000:
        with pytest.raises(InputError, match="organizations: more than 1000000 processors in all"):
            load_bytes(data)
        with pytest.raises(Refused, match="organizations: more than 1000000 processors in all"):
            read_instance(document)
    else:
        assert load_bytes(data).node_count == read_instance(document).organizations[0].processors == processors
