"""The bound by windows of MOSP, against brute force."""

import zlib
from base64 import b64decode, b64encode
from types import SimpleNamespace

import pytest

from oas.bounds.mosp.windows import Search
from oas.bounds.request import BoundRequest
from oas.checker.mosp_windows import check_mosp_windows
from oas.checker.reading import Refused
from oas.core.result import Bound
from oas.core.verifier import verify
from oas.exact.mosp.brute_force import brute_force
from oas.exact.recheck import recheck
from oas.generate.mosp.tiny import alone, random_instance
from oas.problems.mosp.runs import ClusterRun, schedule_from_cluster_runs
from tests.checker.instances import own_mosp as read
from tests.slow import every_fourth_quick

SESSION = SimpleNamespace(
    stop=SimpleNamespace(requested=False), time_is_up=False, partial=lambda _: None, progress=lambda *_: None
)


def searched(instance, lower, upper):
    """What the search finds of makespans from `lower` to below `upper`, in ticks."""
    return Search(BoundRequest(instance, lower, upper, heights=tuple(instance.scaled().widths)), SESSION).run()


@pytest.mark.parametrize("draw", [random_instance, alone])
@pytest.mark.parametrize("seed", every_fourth_quick(range(120)))
def test_it_refutes_what_is_shorter_than_the_optimum_and_finds_the_optimum(draw, seed):
    instance = draw(seed)
    scaled = instance.scaled()
    optimum = brute_force(instance)[0]
    ticks = int(optimum / scaled.tick)
    below = searched(instance, 1, ticks)
    assert "runs" not in below
    if "certificate" in below:  # else no makespan on the grid is shorter
        assert recheck(instance, Bound("windows", optimum, below["certificate"]))
    runs = searched(instance, ticks, ticks + 1)["runs"]
    schedule = schedule_from_cluster_runs(instance, scaled, [ClusterRun(*run) for run in runs])
    assert not verify(instance, schedule) and schedule.makespan == optimum


@pytest.fixture(scope="module")
def proven():
    """An instance with reservations, and the certificate of its optimum."""
    instance = alone(8)
    optimum = int(brute_force(instance)[0] / instance.scaled().tick)
    certificate = searched(instance, 1, optimum)["certificate"]
    assert instance.scaled().reservations and len(b64decode(certificate["log"])) > 20
    return instance, certificate


def test_another_log_or_makespan_proves_nothing_more(proven):
    instance, certificate = proven
    log = bytearray(zlib.decompress(b64decode(certificate["log"])))
    optimum = brute_force(instance)[0]
    changed = [certificate | {"makespan": certificate["makespan"] + 1}]
    for place in range(len(log)):
        for bit in (1, 16):
            other = bytearray(log)
            other[place] ^= bit
            changed.append(certificate | {"log": b64encode(zlib.compress(bytes(other))).decode("ascii")})
        changed.append(certificate | {"log": b64encode(zlib.compress(bytes(log[:place]))).decode("ascii")})
    assert check_mosp_windows(read(instance), certificate) == optimum
    assert {check_mosp_windows(read(instance), one) for one in changed} <= {0, optimum}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("version", 2),
        ("makespan", 0),
        ("mirrored", 0),
        ("weights", [[1]]),
        ("weights", [[-1] * 5]),
        ("weights", 3),
        ("log", "x"),
        ("log", 3),
    ],
)
def test_a_malformed_certificate_is_refused(proven, field, value):
    instance, certificate = proven
    with pytest.raises(Refused, match=field):
        check_mosp_windows(read(instance), certificate | {field: value})
