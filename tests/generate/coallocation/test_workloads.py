import pytest

from heuristics.registry import own_methods
from oas.core.errors import InputError
from oas.generate import section4, workload
from oas.problems.coallocation.allocations import jobs_without_allocation
from oas.problems.coallocation.problem import COALLOCATION

DIGESTS = {
    1: "3425ddb3983f7837",
    2: "55bee7f8874e2d89",
    3: "75fe199253162a09",
    4: "845925768209c013",
    5: "e079863172ca5404",
    6: "881d35b7b5134bf8",
}


def makespans(number: int) -> dict[str, int]:
    instance = workload(number)
    return {method.name: int(method(instance).makespan / instance.slot) for method in own_methods(COALLOCATION)}


@pytest.mark.parametrize("number", range(1, 7))
def test_each_is_eight_jobs_on_the_papers_grid(number: int) -> None:
    instance = workload(number)
    assert instance.name == f"WL-{number}"
    assert len(instance.jobs) == 8
    assert instance.mean_base_time == 670_000 == 2 * instance.slot
    assert instance.clusters == section4().clusters
    assert jobs_without_allocation(instance.scaled()) == []
    assert instance.digest[:16] == DIGESTS[number]


def test_the_first_suits_what_fits_first() -> None:
    found = makespans(1)
    best = found.pop("FPFS")
    assert best < min(found.values())
    assert (best, min(found.values())) == (14, 18)


def test_the_second_suits_small_first() -> None:
    found = makespans(2)
    small = {found.pop("SJF"), found.pop("SPT")}
    assert max(small) < min(found.values())
    assert (small, min(found.values())) == ({15}, 16)


@pytest.mark.parametrize("number", range(3, 7))
def test_the_others_are_drawn_by_their_number(number: int) -> None:
    assert workload(number).digest == section4(seed=number, slot_percent=50).digest


def test_slot_percent_is_exact() -> None:
    assert workload(2, slot_percent="0.5").slot == 3350
    assert workload(4, slot_percent=0).slot == 0


@pytest.mark.parametrize("number", [0, 7, True])
def test_errors_name_the_parameter(number: int) -> None:
    with pytest.raises(InputError) as raised:
        workload(number)
    assert raised.value.field == "number"
