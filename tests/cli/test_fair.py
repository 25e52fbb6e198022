"""Fair sharing as a user types it: `oas fair`, instances made, converted, verified and drawn."""

import csv
import json
from fractions import Fraction

import pytest

import oas
from oas.core.rigid import Organization, Reservation, RigidJob
from oas.mosp.instance import MospInstance
from tests.commands import check_mistake, rows_of
from tests.fair.instances import fair

LOG = [
    "; MaxProcs: 6",
    "1 0 5 10 2 -1 -1 2 60 -1 1 7 1 -1 1 -1 -1 -1",
    "2 1 5 12 3 -1 -1 2 60 -1 1 8 1 -1 1 -1 -1 -1",
    "3 1 -1 10 4 -1 -1 2 60 -1 1 7 1 -1 1 -1 -1 -1",
    "4 3 5 20 1 -1 -1 2 60 -1 1 9 1 -1 1 -1 -1 -1",
    "5 3 5 0 1 -1 -1 2 60 -1 1 9 1 -1 1 -1 -1 -1",
    "6 40 5 7 6 -1 -1 2 60 -1 1 9 1 -1 1 -1 -1 -1",
]
OWN = """
from oas.fair.search.policy import FirstPresented

class Lazy(FirstPresented):
    pass

def lazy(seed):
    return Lazy()

def broken(seed):
    return Broken()

def hangs(seed):
    return Hangs()

class Hangs(FirstPresented):
    def pick(self, now, waiting):
        while True:
            pass

class Broken(FirstPresented):
    def pick(self, now, waiting):
        raise RuntimeError("no idea")

def no_policy(instance, *, seed=0):
    return 42
"""
QUICK = ("--policy", "FCFS", "--samples", "0")


def fill(folder):
    oas.save(oas.generate.arrivals(seed=1, processors=6, horizon=50), folder / "pool.json")
    oas.save(fair(*[(1, [(2,)])] * 21, horizon=5), folder / "many.json")
    oas.save(oas.generate.tiny(seed=1), folder / "grid.json")
    oas.save(fair((1, [(3,)]), horizon=2**63), folder / "endless.json")
    oas.save(fair((1, [(3,), (1,)]), (1, [(2, 1), (2, 1)]), horizon=9), folder / "tiny.json")
    (folder / "log.swf").write_text("\n".join([*LOG, ""]))
    (folder / "nobody.swf").write_text("\n".join([line.replace(" 1 7 1 ", " 1 -1 1 ") for line in LOG[:2]] + [""]))
    (folder / "mine.py").write_text(OWN)


def test_tables_pictures_page_and_rows(folder, run_here):
    done = run_here(
        *("fair", "pool.json", "--policy", "FCFS", "--policy", "ROUNDROBIN", "--policy", "mine:lazy", "--samples", "2"),
        *("--seeds", "3", "--ledger", "l.png", "--page", "p.html", "-o", "r.csv", "-q"),
    )
    assert done.returncode == 0, done.stderr
    names = [
        row.split()[0] for row in rows_of(done.stdout) if row.count("%") and row.split()[0] not in ("policy", "several")
    ]
    assert names[0] == "REF" and set(names) == {"REF", "RAND(2)", "FCFS", "ROUNDROBIN", "mine:lazy", "O1", "O2", "O3"}
    ref = next(row for row in rows_of(done.stdout) if row.startswith("REF"))
    assert ref.split()[1:4] == ["0", "–", "1"]
    assert (folder / "l.png").read_bytes().startswith(b"\x89PNG")
    assert done.stderr.endswith("picture written to l.png\npage written to p.html\n")
    page = (folder / "p.html").read_text()
    assert "<table>" in page and "<svg" in page and "ROUNDROBIN" in page and "<script" not in page
    written = list(csv.DictReader((folder / "r.csv").read_text().splitlines()))
    assert {row["policy"] for row in written} == {"REF", "RAND(2)", "FCFS", "ROUNDROBIN", "mine:lazy"}
    same = {row["policy"]: row["unfairness"] for row in written if row["organization"] == "O1"}
    assert same["mine:lazy"] == same["FCFS"] and float(same["REF"]) == 0


def test_json_is_exact(run_here):
    document = json.loads(run_here("fair", "pool.json", *QUICK, "--json", "-q").stdout)
    organizations, (ref, fcfs) = document["organizations"], document["policies"]
    assert document["reference"] and document["base"] == "REF" and document["refused"] == ""
    assert document["instance"] == oas.generate.arrivals(seed=1, processors=6, horizon=50).digest
    due, got = ([run["utilities"] for run in row["runs"]] for row in (ref, fcfs))
    distance = sum(abs(one - other) for one, other in zip(due[0], got[0], strict=True))
    assert Fraction(fcfs["unfairness"]) == Fraction(distance, document["work"]) and document["work"] == sum(
        ref["runs"][0]["work"]
    )
    assert [one["utility"] for one in organizations] == due[0]
    assert sum(Fraction(one["contribution"]) for one in organizations) == sum(due[0])
    assert all(Fraction(one["owed"]) == Fraction(one["contribution"]) - one["utility"] for one in organizations)


def test_a_log_is_shared_out(run_here):
    done = run_here("fair", "log.swf", "-k", "3", *QUICK, "-q")
    assert done.returncode == 0, done.stderr
    assert "log: 16 jobs of 3 organizations, 6 processors, horizon 47" in done.stdout
    assert [row.split()[:2] for row in rows_of(done.stdout) if row[:2] in ("O1", "O2", "O3")] == [
        ["O1", "3"], ["O2", "2"], ["O3", "1"]
    ]  # fmt: skip
    assert "users by organization: O1 1, O2 1, O3 1" in done.stdout
    assert "skipped: running time unknown: 0" not in done.stdout and "running time 0: 1" in done.stdout
    shown = run_here("fair", "log.swf", "-k", "2", "--machines", "6,6", "--wide", "keep", *QUICK, "--json", "-q").stdout
    whole = json.loads(shown)
    assert whole["jobs"] == 5 and whole["ticks_per_second"] == 1 and whole["log"]["noted"]
    window = ("--from", "1", "--length", "5", "--horizon", "9")
    part = json.loads(run_here("fair", "log.swf", "-k", "1", *window, *QUICK, "--json").stdout)
    assert (part["jobs"], part["horizon"], part["log"]["since"]) == (8, 9, 1)


def test_ref_is_verified_by_a_second_algorithm(run_here):
    done = run_here("fair", "pool.json", *QUICK, "--verify", "-q")
    assert done.returncode == 0
    assert "REF verified by a second algorithm: all starts, v of 7 coalitions, " in done.stdout
    assert json.loads(run_here("fair", "pool.json", *QUICK, "--verify", "--json", "-q").stdout)["second"] == []


def test_price_of_fairness_is_shown(run_here):
    shown = run_here("fair", "tiny.json", *QUICK, "--price", "-q")
    assert shown.returncode == 0, shown.stderr
    assert "price of fairness: " in shown.stdout and "Σ ψ_sp" in shown.stdout
    document = json.loads(run_here("fair", "tiny.json", *QUICK, "--price", "--json", "-q").stdout)
    ref = document["policies"][0]["runs"][0]
    greedy = next(row for row in document["price"] if (row["objective"], row["schedules"]) == ("psi_sp", "greedy"))
    assert greedy["reference"] == sum(ref["utilities"]) <= greedy["best"] == greedy["bound"]
    assert greedy["price"] == [str(Fraction(greedy["best"], greedy["reference"]))] * 2
    refused = run_here("fair", "many.json", *QUICK, "--price", "-q")
    assert refused.returncode == 2 and refused.stderr.startswith("oas: --price: requires REF, which did")


def test_a_failing_user_policy_ends_with_3(folder, run_here):
    done = run_here("fair", "pool.json", *QUICK, "--policy", "mine:broken", "--policy", "mine:no_policy", "-q")
    assert done.returncode == 3 and "Traceback" not in done.stderr
    shown = " ".join(done.stdout.split())
    assert "raises RuntimeError: no idea" in shown and "returned int, not a Schedule" in shown
    assert any(row.startswith("FCFS") for row in rows_of(done.stdout))


def test_the_fair_schedule_is_verified_later(folder, run_here):
    done = run_here("fair", "tiny.json", *QUICK, "--schedule", "ref.json", "-q")
    assert done.returncode == 0, done.stderr
    sound = run_here("verify", "tiny.json", "ref.json")
    assert sound.returncode == 0, sound.stderr
    first, second = sound.stdout.splitlines()
    assert first.startswith("schedule: feasible, 4 jobs") and second.startswith("REF: confirmed by a second algorithm")
    document = json.loads((folder / "ref.json").read_text())
    values = document["certificate"]["values"].split()
    forged = {**document["certificate"], "values": " ".join([*values[:-1], str(int(values[-1]) + 1)])}
    (folder / "forged.json").write_text(json.dumps({**document, "certificate": forged}))
    done = run_here("verify", "tiny.json", "forged.json")
    assert done.returncode == 3 and "[value] coalitions have another v: 1 (3)" in done.stderr
    (folder / "odd.json").write_text(json.dumps({**document, "certificate": {"method": "RAND"}}))
    done = run_here("verify", "tiny.json", "odd.json")
    assert done.returncode == 3 and done.stderr.startswith("oas: odd.json: certificate.values: is missing")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.json"], "none.json: cannot be read"),
        (["grid.json"], "grid.json: problem: oas fair is for fair sharing"),
        (["pool.json", "--organizations", "3"], "--organizations: is for logs"),
        (["log.swf", "--schedule", "s.json"], "--schedule: is for instances: for a log"),
        (["log.swf", "-k", "4"], "log.swf: --organizations: the log has only 3 users"),
        (["log.swf", "--machines", "4,two"], "--machines: must be zipf, uniform, or whole numbers"),
        (["log.swf", "--machines", "4,2"], "--organizations: must be given for a log: a file with the organization of"),
        (["log.swf", "-k", "rules"], "--organizations: must be a number, or a file with the organization of each user"),
        (["log.swf", "-k", "1", "--policy", "mine:no_policy"], "--policy: is a function of an instance, and no policy"),
        (["nobody.swf", "-k", "1"], "nobody.swf: user: the log says of no job whose it is"),
        (["pool.json", "--no-reference", "--price"], "--price: requires REF"),
    ],
)
def test_bad_input(run_here, arguments, message):
    check_mistake(run_here("fair", *arguments, "-q"), f"oas: {message}")


def test_organizations_become_fair_sharing(folder, run_here):
    jobs = [RigidJob("late", 2, 1, 3), RigidJob("wide", 4, 2)]
    oas.save(MospInstance([Organization("A", 2, jobs), Organization("B", 1, [RigidJob("b", 5, 1)])]), folder / "m.json")
    refused = run_here("fair", "m.json")
    assert refused.returncode == 2 and "oas convert m.json --to fair -o fair.json" in refused.stderr
    done = run_here("convert", "m.json", "--to", "fair", "-o", "fair.json")
    assert done.returncode == 0 and "horizon: 6," in done.stderr and "locality: left out" in done.stderr
    fair = oas.load(folder / "fair.json")
    assert [job.id for job in fair.jobs] == ["wide", "late", "b"] and fair.horizon == 6
    assert json.loads(run_here("fair", "fair.json", "--json", "-q").stdout)["policies"]
    assert oas.load(folder / "fair.json").cluster_sizes == [("A", 2), ("B", 1)]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("m.json", "--to", "fair", "--count", "3"), "--count: is for job logs"),
        (("m.json", "--horizon", "3"), "--horizon: is valid only with --to fair"),
        (("m.json", "--to", "fair"), "organizations[0].reservations: there are none in fair sharing"),
        (("fine.json", "--to", "fair"), "organizations[0].jobs[0].time: must be a whole number (got '7/2')"),
    ],
)
def test_unconvertible_files_are_refused(folder, run_here, arguments, words):
    own = Organization("A", 2, [RigidJob("a", 1, 1)], [Reservation(0, 1, 1)])
    oas.save(MospInstance([own], None), folder / "m.json")
    fine = Organization("A", 2, [RigidJob("late", "7/2", 1, 3), RigidJob("a", 1, 1)])
    oas.save(MospInstance([fine]), folder / "fine.json")
    oas.save(oas.load_example("grid"), folder / "grid.json")
    check_mistake(run_here("convert", *arguments), words)
