from fractions import Fraction as F
from random import Random

import pytest

from oas.core.errors import InputError
from oas.problems.mosp.instance import MospInstance
from oas.problems.mosp.local import LOCAL_ORDERS, list_starts, local_starts
from oas.problems.rigid import Organization, Reservation, RigidJob
from tests.problems.mosp.instances import random_instance
from tests.problems.mosp.naive import naive_starts


def jobs(*shapes: tuple[object, ...]) -> list[RigidJob]:
    return [RigidJob(f"J{n}", *shape) for n, shape in enumerate(shapes)]  # type: ignore[arg-type]


SHAPES = jobs((2, 1, 5), (3, 2), (2, 3, 1), (1, 2), (3, 1))


@pytest.mark.parametrize(
    ("policy", "order"),
    [
        ("HF", [2, 1, 3, 0, 4]),
        ("BJF", [2, 1, 3, 0, 4]),
        ("SJF", [0, 4, 1, 3, 2]),
        ("LPT", [1, 4, 0, 2, 3]),
        ("SPT", [3, 0, 2, 1, 4]),
        ("FCFS", [1, 3, 4, 2, 0]),
    ],
)
def test_orders_with_ties_by_index(policy: str, order: list[int]) -> None:
    assert LOCAL_ORDERS[policy](SHAPES, 0) == order


def test_random_orders_follow_the_seed() -> None:
    orders = [LOCAL_ORDERS["RND"](SHAPES, seed) for seed in range(30)]
    assert orders == [LOCAL_ORDERS["RND"](SHAPES, seed) for seed in range(30)]
    assert all(sorted(order) == [0, 1, 2, 3, 4] for order in orders)
    assert len({tuple(order) for order in orders}) > 20


def test_a_random_order_is_expanded_before_it_is_stored() -> None:
    organization = Organization("A", 3, SHAPES)
    made = {seed: MospInstance([organization], local="RND", seed=seed) for seed in range(10)}
    for seed, instance in made.items():
        assert list(instance.local.values()) == local_starts(organization, "RND", seed)
        assert instance == MospInstance([organization], local="RND", seed=seed)
        assert instance.provenance == {"local": f"RND, seed {seed}"}
    assert len({instance.digest for instance in made.values()}) > 2


@pytest.mark.parametrize("policy", LOCAL_ORDERS)
def test_equals_the_naive_scheduler(policy: str) -> None:
    with_both = 0
    for seed in range(250):
        for organization in random_instance(seed, max_jobs=7).organizations:
            order = LOCAL_ORDERS[policy](organization.jobs, seed)
            starts = list_starts(organization, order)
            assert starts == naive_starts(organization, order), (seed, organization.id)
            assert starts == local_starts(organization, policy, seed)
            with_both += bool(organization.reservations) and any(job.release for job in organization.jobs)
    assert with_both > 20


def test_equals_the_naive_scheduler_on_overlapping_reservations() -> None:
    """Denser than `random_instance`: up to six reservations over one another, ten jobs."""
    for seed in range(150):
        rng = Random(seed)
        size = rng.randint(2, 6)
        made = jobs(*((F(rng.randint(1, 9), 2), rng.randint(1, size), rng.randint(0, 6)) for _ in range(10)))
        held: list[Reservation] = []
        for _ in range(6):
            start = rng.randint(0, 12)
            more = [*held, Reservation(start, start + rng.randint(1, 6), rng.randint(1, size))]
            try:
                Organization("A", size, (), more)
            except InputError:
                continue
            held = more
        organization = Organization("A", size, made, held)
        order = rng.sample(range(10), 10)
        assert list_starts(organization, order) == naive_starts(organization, order), seed


def test_a_later_job_overtakes_where_it_fits() -> None:
    organization = Organization("A", 4, jobs((2, 3), (2, 2), (2, 1), (1, 1)))
    assert list_starts(organization, [0, 1, 2, 3]) == [0, 2, 0, 2]


def test_a_job_waits_until_no_reservation_cuts_into_its_run() -> None:
    organization = Organization("A", 2, jobs((3, 1), (2, 2)), [Reservation(2, 4, 2), Reservation(5, 6, 1)])
    assert list_starts(organization, [0, 1]) == [4, 0]
    assert list_starts(organization, [1, 0]) == [4, 0]
    narrow = Organization("A", 2, jobs((3, 2)), [Reservation(2, 4, 1), Reservation(5, 6, 1)])
    assert list_starts(narrow, [0]) == [6]


def test_a_job_that_ends_when_a_reservation_begins_fits() -> None:
    organization = Organization("A", 1, jobs(("2/3", 1), (F(4, 3) - F(2, 3), 1)), [Reservation("2/3", 1, 1)])
    assert list_starts(organization, [0, 1]) == [0, 1]


def test_a_start_between_the_events_of_others() -> None:
    organization = Organization("A", 2, jobs((3, 1), (1, 1, "1/2"), (1, 2, "1/3")))
    assert list_starts(organization, [2, 1, 0]) == [0, F(1, 2), 3]


def test_no_jobs() -> None:
    assert local_starts(Organization("A", 2), "LPT") == []


def test_unknown_policy() -> None:
    with pytest.raises(InputError, match=r"^local: unknown policy; did you mean HF\? known: HF, LPT, .* \(got 'hf'\)$"):
        local_starts(Organization("A", 2), "hf")


@pytest.mark.slow
def test_hundreds_of_jobs_are_scheduled_as_by_the_naive_scheduler() -> None:
    rng = Random(5)
    made = jobs(*((rng.randint(1, 8), rng.randint(1, 16)) for _ in range(200)))
    organization = Organization("A", 16, made, [Reservation(10 * n, 10 * n + 5, 1 + n % 16) for n in range(1, 30)])
    for policy in ("HF", "SPT"):
        order = LOCAL_ORDERS[policy](organization.jobs, 0)
        assert list_starts(organization, order) == naive_starts(organization, order)


def test_times_without_a_common_unit_are_refused() -> None:
    primes = [F(1, 10**39 + n) for n in range(1, 20)]
    organization = Organization("A", 1, jobs(*((time, 1) for time in primes)))
    with pytest.raises(InputError, match=r"^local: the times have too long a common denominator"):
        local_starts(organization, "HF")
    given = {f"J{n}": n for n in range(len(primes))}
    assert MospInstance([organization], local=given).local_makespans == (18 + primes[18],)


def test_starts_too_long_for_a_file_are_refused() -> None:
    organization = Organization("A", 1, jobs((F(10**60, 10**39 + 1), 1), (F(10**40, 10**39 + 3), 1), (1, 1)))
    with pytest.raises(InputError, match=r"^local\.J2: the number is too long"):
        MospInstance([organization])
