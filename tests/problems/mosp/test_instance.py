from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction as F
from typing import Any

import pytest

from oas.core.errors import InputError
from oas.problems.mosp.instance import MospInstance
from oas.problems.rigid import Organization, Reservation, RigidJob
from tests.problems.mosp.instances import random_instance


def refusal(make: Callable[[], object]) -> InputError:
    with pytest.raises(InputError) as caught:
        make()
    return caught.value


def example(**changes: Any) -> MospInstance:
    """Two organizations; A's jobs run [0, 3), [3, 5) and [1, 2) on 4 processors, one reserved in [5, 6)."""
    arguments: dict[str, Any] = {
        "organizations": [
            Organization(
                "A", 4, [RigidJob("a", 3, 3), RigidJob("b", 2, 4), RigidJob("c", 1, 1, 1)], [Reservation(5, 6, 1)]
            ),
            Organization("B", 2, [RigidJob("d", "5/2", 1)]),
        ],
        "locality": 1,
        "local": {"a": 0, "b": 3, "c": 1, "d": 0},
    }
    return MospInstance(**{**arguments, **changes})


@pytest.mark.parametrize(
    ("changes", "field", "reason"),
    [
        ({"id": ""}, "id", "printable"),
        ({"id": 3}, "id", "must be text"),
        ({"id": " a"}, "id", "printable"),
        ({"time": 0}, "time", "above 0"),
        ({"time": "-1/2"}, "time", "above 0"),
        ({"time": 0.5}, "time", "a float may be rounded"),
        ({"time": True}, "time", "not a number"),
        ({"time": "soon"}, "time", "not a number"),
        ({"processors": 0}, "processors", "at least 1"),
        ({"processors": F(3, 2)}, "processors", "must be an integer"),
        ({"processors": True}, "processors", "must be an integer"),
        ({"release": "-1"}, "release", "not be negative"),
        ({"release": 0.5}, "release", "a float may be rounded"),
        ({"release": None}, "release", "not a number"),
    ],
)
def test_jobs(changes: dict[str, Any], field: str, reason: str) -> None:
    error = refusal(lambda: RigidJob(**{"id": "a", "time": 1, "processors": 1, **changes}))
    assert error.field == field and reason in error.reason


def test_jobs_are_exact() -> None:
    job = RigidJob("a", Decimal("0.7"), 2, "37/30")
    assert (job.time, job.release) == (F(7, 10), F(37, 30))
    assert RigidJob("a", 1, 1).release == 0


@pytest.mark.parametrize(
    ("arguments", "field", "reason"),
    [
        ((-1, 1, 1), "start", "not be negative"),
        ((0.5, 1, 1), "start", "a float may be rounded"),
        ((1, 1, 1), "end", "must be after the start, 1"),
        ((2, 1, 1), "end", "must be after the start, 2"),
        ((1, None, 1), "end", "not a number"),
        ((0, 1, 0), "processors", "at least 1"),
        ((0, 1, 1.5), "processors", "must be an integer"),
    ],
)
def test_reservations(arguments: tuple[Any, Any, Any], field: str, reason: str) -> None:
    error = refusal(lambda: Reservation(*arguments))
    assert error.field == field and reason in error.reason


@pytest.mark.parametrize(
    ("arguments", "field", "reason"),
    [
        (("", 1), "id", "printable"),
        (("A", 0), "processors", "at least 1"),
        (("A", "4"), "processors", "must be an integer"),
        (
            ("A", 2, [RigidJob("a", 1, 2), RigidJob("b", 1, 3)]),
            "jobs[1].processors",
            "wider than the organization's own",
        ),
        (("A", 2, (), [Reservation(0, 5, 3)]), "reservations[0].processors", "3 processors are reserved at 0, of 2"),
        (
            ("A", 2, (), [Reservation(0, 5, 1), Reservation(1, 9, 1), Reservation("9/2", 6, 1)]),
            "reservations[2].processors",
            "3 processors are reserved at 9/2, of 2",
        ),
    ],
)
def test_organizations(arguments: tuple[Any, ...], field: str, reason: str) -> None:
    error = refusal(lambda: Organization(*arguments))
    assert error.field == field and reason in error.reason


def test_reservations_may_follow_one_another() -> None:
    held = [Reservation(0, 5, 1), Reservation(5, 9, 2), Reservation(1, 5, 1)]
    assert Organization("A", 2, (), held).reservations == tuple(held)


@pytest.mark.parametrize(
    ("changes", "field", "reason"),
    [
        ({"organizations": []}, "organizations", "at least one organization"),
        ({"organizations": [Organization("A", 1)]}, "organizations", "at least one job"),
        ({"organizations": [*example().organizations, Organization("A", 1)]}, "organizations[2].id", "is taken"),
        (
            {
                "organizations": [
                    *example().organizations,
                    Organization("C", 1, [RigidJob("e", 1, 1), RigidJob("c", 1, 1)]),
                ]
            },
            "organizations[2].jobs[1].id",
            "is taken",
        ),
        (
            {"organizations": [Organization("A", 1, [RigidJob("c", 1, 1), RigidJob("c", 1, 1)])]},
            "organizations[0].jobs[1].id",
            "is taken",
        ),
        ({"locality": "1/2"}, "locality", "at least 1"),
        ({"locality": 1.5}, "locality", "a float may be rounded"),
        ({"name": "a\n"}, "name", "printable"),
        ({"local": "HV"}, "local", "unknown policy; known: HF"),
        ({"local": 3}, "local", "must be a policy or"),
        ({"local": ["HF"]}, "local", "must be a policy or"),
        ({"local": {}}, "local.a", "no local start"),
        ({"local": {"a": 0, "b": 3, "c": 1}}, "local.d", "no local start"),
        ({"local": {"a": 0, "b": 3, "c": 1, "d": 0, "e": 0}}, "local", "no job has this id"),
        ({"local": {"a": 0, "b": 3, "c": 1, "d": 0.5}}, "local.d", "a float may be rounded"),
        ({"local": {"a": 0, "b": 3, "c": 1, "d": None}}, "local.d", "not a number"),
        ({"local": {"a": 0, "b": 3, "c": 1, "d": -1}}, "local.d", "starts before its release at 0"),
        ({"local": {"a": 0, "b": 3, "c": "1/2", "d": 0}}, "local.c", "starts before its release at 1"),
        ({"local": {"a": 0, "b": "5/2", "c": 1, "d": 0}}, "local", "7 of 4 processors of A are needed at 5/2"),
        ({"local": {"a": 0, "b": 3, "c": 3, "d": 0}}, "local", "5 of 4 processors of A are needed at 3"),
        ({"local": {"a": 0, "b": "7/2", "c": 1, "d": 0}}, "local", "5 of 4 processors of A are needed at 5"),
        ({"local": {"a": 0, "b": 5, "c": 1, "d": 0}}, "local", "5 of 4 processors of A are needed at 5"),
        ({"local": {"a": 0, "b": "3/1", "c": 1, "d": "1/0"}}, "local.d", "denominator is zero"),
    ],
)
def test_instances(changes: dict[str, Any], field: str, reason: str) -> None:
    error = refusal(lambda: example(**changes))
    assert error.field == field and reason in error.reason


def test_a_reservation_that_starts_in_the_midst_of_a_local_run_is_seen() -> None:
    def one(start: object) -> MospInstance:
        held = [Reservation(start, 9, 2)]  # type: ignore[arg-type]
        return MospInstance([Organization("A", 2, [RigidJob("a", 4, 1)], held)], local={"a": 0})

    assert one(4).local == {"a": 0}
    for start in (F(0), F(3), F(4) - F(1, 10**30)):
        error = refusal(lambda start=start: one(start))  # type: ignore[misc]
        assert error.field == "local"
        assert error.reason == f"3 of 2 processors of A are needed at {start}"


def test_touching_is_allowed_in_local_schedules() -> None:
    held = [Reservation(0, 1, 2), Reservation(3, 4, 2)]
    jobs = [RigidJob("a", 1, 2), RigidJob("b", 1, 2)]
    assert MospInstance([Organization("A", 2, jobs, held)], local={"a": 1, "b": 2}).local_makespans == (3,)


def test_derived_figures() -> None:
    instance = example(locality="7/5")
    assert [job.id for job in instance.jobs] == ["a", "b", "c", "d"]
    assert instance.owner == {"a": 0, "b": 0, "c": 0, "d": 1}
    assert instance.node_count == 6
    assert instance.local_makespans == (5, F(5, 2))
    assert instance.deadlines == (7, F(7, 2))
    assert example(locality=None).deadlines == (None, None)
    idle = example(organizations=[*example().organizations, Organization("C", 1)])
    assert idle.deadlines == (5, F(5, 2), 0)


def test_a_policy_fills_in_the_starts_and_is_named() -> None:
    instance = example(local="LPT")
    assert instance.local == {"a": 0, "b": 3, "c": 1, "d": 0}
    assert instance.provenance == {"local": "LPT"}
    assert instance == example() and instance.digest == example().digest
    assert example().provenance == {}
    assert example(local="RND", seed=3).provenance == {"local": "RND, seed 3"}
    assert example(local="HF", provenance={"local": "as found"}).provenance == {"local": "as found"}


def test_what_is_given_is_copied() -> None:
    local: dict[str, Any] = {"a": 0, "b": 3, "c": 1, "d": 0}
    provenance = {"by": "hand"}
    instance = example(local=local, provenance=provenance)
    local["a"], provenance["by"] = 9, "nobody"
    assert instance.local["a"] == 0 and instance.provenance == {"by": "hand"}


def test_with_locality_keeps_all_else() -> None:
    for seed in range(100):
        instance = random_instance(seed)
        for locality in (None, 1, "7/3"):
            other = instance.with_locality(locality)
            assert other.locality == (None if locality is None else F(locality))
            assert (other.organizations, other.local) == (instance.organizations, instance.local)
            assert (other.name, other.provenance) == (instance.name, instance.provenance)
            assert other.with_locality(instance.locality) == instance
    assert refusal(lambda: example().with_locality("0.9")).field == "locality"


def variants() -> list[MospInstance]:
    """Return instances that each mean something else than the example, by one number."""
    mine, yours = example().organizations
    jobs = list(mine.jobs)

    def with_job(**changes: Any) -> MospInstance:
        return example(organizations=[replace(mine, jobs=(*jobs[:2], replace(jobs[2], **changes))), yours])

    return [
        example(locality=None),
        example(locality="3/2"),
        example(local={"a": 0, "b": 3, "c": 2, "d": 0}),
        example(local={"a": 0, "b": 3, "c": 1, "d": 1}),
        example(organizations=[mine, replace(yours, processors=3)]),
        example(organizations=[replace(mine, reservations=()), yours]),
        example(organizations=[replace(mine, reservations=(Reservation(5, 7, 1),)), yours]),
        example(organizations=[replace(mine, reservations=(Reservation("16/3", 6, 1),)), yours]),
        example(organizations=[replace(mine, reservations=(Reservation(5, 6, 2),)), yours]),
        example(organizations=[mine, replace(yours, reservations=mine.reservations)]),
        example(organizations=[mine, yours, Organization("C", 1)]),
        example(organizations=[yours, mine]),
        with_job(time=F(1, 2)),
        with_job(release=F(1, 2)),
        example(
            organizations=[replace(mine, jobs=(jobs[0], jobs[1], replace(jobs[2], processors=1, time=F(2)))), yours]
        ),
    ]


def test_the_digest_tells_meanings_apart() -> None:
    digests = [example().digest, *(one.digest for one in variants())]
    assert len(set(digests)) == len(digests) == 16
    assert all(len(one) == 64 for one in digests)


def test_the_digest_ignores_names_and_provenance() -> None:
    mine, yours = example().organizations
    renamed = MospInstance(
        [
            Organization("X", 4, [replace(job, id=f"{job.id}'") for job in mine.jobs], mine.reservations),
            replace(yours, id="Y"),
        ],
        local={"a'": 0, "b'": 3, "c'": 1, "d": 0},
        name="another",
        provenance={"by": "hand"},
    )
    assert renamed.digest == example().digest and renamed != example()
    assert example(local={"d": 0, "c": 1, "b": 3, "a": 0}).digest == example().digest


def test_the_digest_does_not_change() -> None:
    """Stored results name it."""
    assert example().digest == "a5431accd2e36ef89a4e5c3a963f79ee3aa2adb574ef52ce0ed1f822172a749e"


def test_instances_can_be_hashed() -> None:
    assert len({example(), example(), example(locality=2)}) == 2


@pytest.mark.slow
def test_thousands_of_jobs_are_checked_in_one_pass() -> None:
    """Quadratic checks would take minutes here."""
    count = 20_000
    jobs = [RigidJob(f"J{n}", 2, 1) for n in range(count)]
    held = [Reservation(n, n + 1, 1) for n in range(count)]
    local = {f"J{n}": n for n in range(count)}
    assert MospInstance([Organization("A", 3, jobs, held)], local=local).local_makespans == (count + 1,)
    with pytest.raises(InputError, match=r"4 of 3 processors of A are needed at 8$"):
        MospInstance([Organization("A", 3, jobs, held)], local=local | {"J7": 8, "J8": 7, "J6": 7})
