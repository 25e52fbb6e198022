"""Schedules on the page are those of the ledger, to the tick."""

from fractions import Fraction

from oas.campaigns.report.schedules import RESERVED, js_number, labels, pack_schedule, pack_schedules
from oas.core.schedule import Placement, Schedule
from oas.io.reading import loads
from oas.problems.mosp.instance import MospInstance
from oas.problems.mosp.runs import local_schedule
from oas.problems.rigid import Organization, Reservation, RigidJob


def unpacked(instance, packed):
    """Job -> start, end, nodes by cluster, from the rectangles."""
    names = [one.id for one in getattr(instance, "clusters", None) or instance.organizations]
    found = {}
    flat = packed["boxes"]
    for at in range(0, len(flat), 6):
        job, cluster, first, count, start, length = flat[at : at + 6]
        if job == RESERVED:
            continue
        key = (Fraction(start, packed["per"]), Fraction(start + length, packed["per"]))
        times, nodes = found.setdefault(instance.jobs[job].id, (key, {}))
        assert times == key
        nodes.setdefault(names[cluster], set()).update(range(first, first + count))
    return found


def test_every_stored_schedule_comes_back(made, runs_of, tmp_path):
    runs = runs_of()
    with made.ledger(tmp_path / "l.sqlite") as ledger:
        packed, left = pack_schedules(runs, ledger)
    assert left == 0
    assert len(packed) == sum(one.objective is not None for one in made.records)
    instances = {digest: loads(document) for digest, _, _, document in made.documents}
    by_key = {one.key: one for one in made.records}
    for place, one in packed.items():
        record = by_key[runs.runs[place].record.key]
        schedule = record.unpacked().schedule
        expected = {
            run.job: ((run.start, run.end), {name: set(nodes) for name, nodes in run.nodes.items()})
            for run in schedule.placements
        }
        assert unpacked(instances[record.digest], one) == expected


def test_rationals_and_reservations():
    jobs = [RigidJob("a", "37/30", 2), RigidJob("b", "1/4", 1)]
    instance = MospInstance([Organization("O", 3, jobs, [Reservation(1, 2, 1)])])
    schedule = local_schedule(instance)
    packed = pack_schedule(instance, schedule)
    assert packed["per"] == 60
    assert unpacked(instance, packed)["a"][0] == (0, Fraction(37, 30))
    assert packed["boxes"].count(RESERVED) == 1


def test_what_javascript_cannot_hold_is_rounded_and_says_so():
    instance = MospInstance([Organization("O", 1, [RigidJob("a", Fraction(1, 3**40), 1)])])
    packed = pack_schedule(instance, Schedule([Placement("a", 0, Fraction(1, 3**40), {"O": [0]})]))
    assert "per" not in packed
    assert packed["boxes"] == [0, 0, 0, 1, 0.0, float(Fraction(1, 3**40))]


def test_the_cap_keeps_the_best_of_every_instance(made, runs_of, tmp_path):
    runs = runs_of()
    room = 24 * sum(len(instance.jobs) for instance in runs.instances.values())
    with made.ledger(tmp_path / "l.sqlite") as ledger:
        packed, left = pack_schedules(runs, ledger, most=room)
    kept = [runs.runs[place] for place in packed]
    assert len(kept) == len(runs.instances)
    assert {run.order.digest for run in kept} == set(runs.instances)
    assert all(run.record.kind == "exact" for run in kept)
    assert left == sum(run.objective is not None for run in runs.runs) - len(kept)


def test_names_that_are_the_same_are_told_apart(made):
    instances = {digest: loads(document) for digest, _, _, document in made.documents}
    found = labels(instances)
    assert len(set(found.values())) == len(found)
    assert any(name.endswith("· without locality") for name in found.values())
    identical = {"aaaaaaaa1": next(iter(instances.values())), "bbbbbbbb2": next(iter(instances.values()))}
    assert [name[-8:] for name in labels(identical).values()] == ["aaaaaaaa", "bbbbbbbb"]


def test_numbers_for_javascript():
    assert js_number(Fraction(7)) == 7
    assert js_number(Fraction(37, 30)) == "37/30"
    assert js_number(Fraction(2**60)) == str(2**60)
    assert js_number(None) is None


def test_schedules_larger_than_what_is_read_are_left_out(made, runs_of, tmp_path, monkeypatch):
    """Ledgers may hold them: many wide jobs on processors that are not next to each other."""
    runs = runs_of()
    with made.ledger(tmp_path / "l.sqlite") as ledger:
        monkeypatch.setattr("oas.io.decoding.MAX_VALUES", 10)
        packed, left = pack_schedules(runs, ledger)
    assert packed == {} and left == sum(run.objective is not None for run in runs.runs)
