"""Studies as a user types them: saturated links, reservations, slot sizes and organizations."""

import csv
import json
from fractions import Fraction as F

import pytest

import oas
from oas.cli.main import app
from oas.coallocation import execution
from oas.coallocation.execution import execute
from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.core.errors import InputError, VerificationError
from oas.core.rigid import Organization, RigidJob
from oas.core.schedule import Placement, Schedule
from oas.core.verifier import verify
from oas.mosp.instance import MospInstance
from oas.solving.recheck import recheck_result
from tests.coallocation.grids import four_jobs as grid
from tests.coallocation.grids import plan
from tests.coallocation.test_saturation_price import pair
from tests.commands import check_mistake, rows_of
from tests.mosp.instances import random_instance

BEST = (0, F(32, 3), F(26, 3), 0)  # starts of the optimum under slowdown


@pytest.fixture
def run(folder, monkeypatch, capfd):
    """Run the command in this process; return its output on both streams."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "120")
    oas.save(grid("slowdown"), "grid.json")
    oas.save(execute(grid("slowdown"), plan(BEST), keep_starts=True).schedule, "best.json")

    def call(*arguments):
        assert not app(["execute", *arguments], standalone_mode=False)
        return capfd.readouterr()

    return call


def test_a_plan_that_keeps_its_starts(run):
    shown = rows_of(run("grid.json", "best.json", "--keep-starts").out)
    assert "planned 21.333" in shown and "executed 21.333, ratio to the plan 1" in shown
    assert "slowdown of jobs: mean 1.061, greatest 1.067 (job A)" in shown
    assert "Q 1 2 2 2 9.38 %" in shown and "P 9 2 1 0 0 %" not in shown and "P 9 1 1 0 0 %" in shown


def test_files_and_json(run, folder):
    done = run("grid.json", "best.json", "--keep-starts", "--json", "-o", "ran.json", "--log", "events.csv")
    document = json.loads(done.out)
    assert "schedule written to ran.json" in done.err and "log written to events.csv" in done.err
    assert (document["planned"], document["executed"], document["ratio"]) == ("64/3", "64/3", "1")
    assert (document["mean_slowdown"], document["slowdowns"]["C"]) == ("191/180", "19/18")
    assert document["links"]["Q"]["saturated"] == "2"
    assert document["links"]["Q"]["steps"][1] == {"start": "26/3", "end": "32/3", "load": "2", "degree": "2"}
    ran = oas.io.load_schedule("ran.json")
    assert verify(grid("slowdown"), ran) == [] and ran.makespan == F(64, 3)
    rows = list(csv.reader((folder / "events.csv").read_text().splitlines()))
    assert rows[:4] == [["time", "event", "job"], ["0", "start", "A"], ["0", "start", "D"], ["26/3", "start", "C"]]
    assert len(rows) == 9
    assert run("grid.json", "best.json", "-q", "--log", "events.csv").err == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["grid.json"], "PLAN: either a plan or an order is needed"),
        (["grid.json", "--order", "FCFS", "--keep-starts"], "--keep-starts: is valid only with a plan"),
        (["grid.json", "best.json", "--saturation", "forbid", "--threshold", "1"], "--threshold: is valid only with"),
        (["-", "-"], "only one of the two files can come from stdin"),
        (["grid.json", "short.json"], "short.json: job A does not run"),
        (["mosp.json", "best.json"], "mosp.json: problem: only instances of co-allocation are executed"),
    ],
)
def test_executions_of_bad_input(run, arguments, message):
    oas.save(Schedule([Placement("B", 0, 1, {"P": [0], "R": [0]})]), "short.json")
    oas.save(random_instance(1), "mosp.json")
    with pytest.raises(InputError, match=message):
        run(*arguments)


def test_executed_schedules_are_verified(run, monkeypatch):
    """An executor that ends jobs too early is found out."""
    loop = execution._event_loop
    monkeypatch.setattr(
        execution, "_event_loop", lambda *given: [(start, end - F(1, 9)) for start, end in loop(*given)]
    )
    with pytest.raises(VerificationError, match="the executed schedule breaks"):
        run("grid.json", "best.json")


PRICE = ("price", "pair.json", "--saturation", "-q")


def fill_saturation(folder):
    """Two jobs that saturate a link together, a plan that runs them in turn, and one that runs both simultaneously."""
    oas.save(pair(), folder / "pair.json")
    first, second = {"P": [0, 1], "Q": [0]}, {"R": [0, 1], "Q": [1]}
    for name, start in (("turns", 12), ("both", 0)):
        placements = [oas.Placement("A", 0, 12, first), oas.Placement("B", start, start + 12, second)]
        oas.save(oas.Schedule(placements), folder / f"{name}.json")


def test_table_picture_and_csv(folder, run_here):
    done = run_here(*PRICE, "--thresholds", "1,1/2,none", "--plot", "p.png", "-o", "p.csv")
    assert done.returncode == 0, done.stderr
    shown = rows_of(done.stdout)
    for begin in ("forbid 24 24 optimal 1 ", "threshold 1 24 24 optimal 1 ", "threshold none 18 18 optimal 1.333 "):
        assert any(line.startswith(begin) for line in shown), done.stdout
    assert "sharing: paper" in shown
    assert (folder / "p.png").read_bytes().startswith(b"\x89PNG") and "picture written to p.png" in done.stderr
    table = list(csv.DictReader((folder / "p.csv").read_text(encoding="utf-8").splitlines()))
    assert [(one["policy"], one["threshold"], one["makespan"]) for one in table] == [
        ("forbid", "", "24"),
        ("slowdown", "1", "24"),
        ("slowdown", "1/2", "18"),
        ("slowdown", "", "18"),
    ]
    assert [one["ratio_low"] for one in table] == [one["ratio_high"] for one in table] == ["1", "1", "4/3", "4/3"]


def test_json(folder, run_here):
    done = run_here(*PRICE, "--thresholds", "none", "--sharing", "max-min", "--json", "-o", "p.json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    copy = json.loads((folder / "p.json").read_text(encoding="utf-8"))
    assert copy == document and document["instance"] == pair().digest and not document["interrupted"]
    assert document["sharing"] == "max-min" and document["forbid"]["makespan"] == "24"
    (point,) = document["slowdown"]
    assert (point["threshold"], point["status"], point["makespan"]) == (None, "optimal", "18")
    assert point["ratio"] == ["4/3", "4/3"] and point["lower_bound"] == "18" and point["proof"]
    schedule = oas.io.loads_any(json.dumps(point["schedule"]).encode())
    under = pair().with_saturation({"policy": "slowdown", "sharing": "max-min"})
    assert oas.verify(under, schedule) == [] and schedule.makespan == 18


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("pair.json", "--saturation", "--thresholds", "1/2,5/4"), "--thresholds: must be above 0 and at most 1"),
        (("pair.json", "--saturation", "--locality", "1"), "--locality: cannot be given with --saturation"),
        (("shared.json", "--thresholds", "1"), "--thresholds: is valid only with --saturation"),
        (("shared.json", "--saturation"), "shared.json: "),
    ],
)
def test_prices_of_bad_input(run_here, arguments, words):
    check_mistake(run_here("price", *arguments, "-q"), words)


JOBS = [oas.RigidJob("a", 3, 2), oas.RigidJob("b", 3, 2)]


def fill_reservations(folder):
    """Two jobs of all processors: with a reservation that they have to go around, and without; two organizations."""
    held = [oas.Reservation(1, 2, 1), oas.Reservation(40, 41, 2)]
    oas.save(oas.MospInstance([oas.Organization("O", 2, JOBS, held)], None, name="held"), folder / "held.json")
    oas.save(oas.MospInstance([oas.Organization("O", 2, JOBS)], None, name="free"), folder / "free.json")
    oas.save(oas.generate.uni(seed=1, organizations=2, jobs=4, processors=4), folder / "shared.json")
    oas.save(oas.generate.tiny(seed=1), folder / "grid.json")
    oas.save(WASTEFUL, folder / "wasteful.json")


PLACE = ("place-reservation", "free.json", "-q", "--formulation", "brute-force", "--length", "2", "--processors", "1")


def test_prices_as_table_json_and_file(folder, run_here):
    done = run_here("price", "held.json", "--reservations", "--solver", "highs", "-q", "-o", "prices.json")
    assert done.returncode == 0, done.stderr
    shown = [line.split(" optimal ") for line in rows_of(done.stdout) if " optimal " in line]
    assert [(left, right.split()[0]) for left, right in shown] == [
        ("none 8 8", "–"),
        ("[1, 2) × 1 processor 6 6", "2"),
        ("[40, 41) × 2 processors 8 8", "0"),
        ("any 6 6", "2"),
    ]
    document = json.loads((folder / "prices.json").read_text())
    assert document == json.loads(
        run_here("price", "held.json", "--reservations", "--solver", "highs", "-q", "--json").stdout
    )
    assert document["instance"] == oas.load(folder / "held.json").digest and not document["interrupted"]
    first = document["reservations"][0]
    assert (first["start"], first["end"], first["processors"], first["price"]) == ("1", "2", 1, ["2", "2"])
    assert first["without"]["status"] == "optimal" and first["without"]["proof"].startswith("certificate")
    assert document["without_any"]["price"] == ["2", "2"]


def test_the_best_start_the_curve_and_pictures(folder, run_here):
    done = run_here(*PLACE, "--between", "0", "5", "--curve", "--plot", "c.png", "--gantt", "g.svg", "-o", "p.json")
    assert done.returncode == 0, done.stderr
    assert "best start 0: makespan 8 with the reservation, proven" in done.stdout
    assert "without it 6: it delays the optimum by 2" in done.stdout
    assert rows_of(done.stdout)[-2:] == ["0 2 8 10 2 4", "3 5 8 10 2 4"]
    assert (folder / "c.png").read_bytes().startswith(b"\x89PNG") and b"<svg" in (folder / "g.svg").read_bytes()
    assert "picture written to c.png" in done.stderr
    document = json.loads((folder / "p.json").read_text())
    assert document["proven"] and document["reservation"] == {"start": "0", "end": "2", "processors": 1}
    assert document["optimum"] == {"status": "optimal", "makespan": "8", "lower_bound": "8"}
    assert document["delay"] == ["2", "2"] and document["rivals"] == []
    assert [piece["starts"] for piece in document["curve"]] == [["0", "2"], ["3", "5"]]
    assert {step["kind"] for step in document["steps"]} <= {"without", "common", "delay"}
    assert all(step["status"] == "optimal" for step in document["steps"])
    schedule = oas.io.loads_any(json.dumps(document["schedule"]).encode())
    held = [oas.Reservation(0, 2, 1)]
    assert oas.verify(oas.MospInstance([oas.Organization("O", 2, JOBS, held)], None), schedule) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["price", "free.json", "--reservations"], "free.json: reservations: there is none"),
        (["price", "grid.json", "--reservations"], "only organizations that share clusters"),
        ([*PLACE, "--between", "3", "1"], "--between: the latest start must not be before the earliest, 3 (got '1')"),
        ([*PLACE, "--between", "0", "1", "--processors", "3"], "--processors: more than the 2 processors of O (got 3)"),
        (
            ["place-reservation", "shared.json", "--length", "2", "--processors", "2", "--between", "0", "1"],
            "shared.json: locality: must be null",
        ),
    ],
)
def test_an_error_is_one_line_that_names_the_option(run_here, arguments, words):
    check_mistake(run_here(*arguments), words)


# One node; at η = 1, the mean, 7/5 and 3/5 take 2 slots and 1, without a grid 2 in all.
WASTEFUL = CoallocationInstance(
    [Cluster("A", [NodeGroup(1, 1)], 0)], [Job("a", 1, "7/5"), Job("b", 1, "3/5")], slot=7, name="wasteful"
)


@pytest.fixture
def slots(folder, monkeypatch, capfd):
    """Run the command in this process; return its output on both streams."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "130")

    def call(*arguments):
        assert not app(["slots", *arguments], standalone_mode=False)
        return capfd.readouterr()

    return call


def test_tables_advice_picture_and_file(folder, slots):
    done = slots("wasteful.json", "--percent", "20", "--eta", "1", "--plot", "s.png", "-o", "s.json")
    lines = done.out.splitlines()
    assert lines[0] == "wasteful: 2 jobs, 1 cluster (1 node)"
    (row,) = [" ".join(line.split()) for line in lines if line.startswith("100 %") and "proven" in line]
    assert row == "100 % 3 proven 2 50.00 % 0 % 50.00 %"
    assert "largest η within 5 % of the continuous optimum: 20 % = 0.2 (proven); executed: 100 % = 1 (proven)" in lines
    assert (folder / "s.png").read_bytes().startswith(b"\x89PNG") and "picture written" in done.err
    document = json.loads((folder / "s.json").read_text())
    point = document["points"][2]
    assert (point["makespan"], point["executed"], point["percent"]) == ("3", "2", "100")
    assert point["loss"]["rounding"] == "1" and point["loss"]["scheduling"] == ["0", "0"]
    assert document["advice"]["slotted"] == {"percent": "20", "proven": True, "undecided": []}
    result = oas.io.loads_any(json.dumps(point["result"]).encode())
    assert recheck_result(WASTEFUL.with_slot(1), result)[-1] == "status: optimal, proven: schedule and bound meet"


def test_a_damaged_cache_is_said_on_stderr_and_json_stays_json(folder, slots):
    arguments = ["wasteful.json", "--percent", "100", "--cache", "cache", "--json", "--within", "60"]
    document = json.loads(slots(*arguments).out)
    assert document["advice"]["slotted"]["percent"] == "100"
    for path in (folder / "cache").iterdir():
        path.write_text("{")
    done = slots(*arguments)
    assert done.err.count(": ignored, ") == 2
    assert json.loads(done.out)["points"][1]["makespan"] == "3"
    assert all(point["cached"] for point in json.loads(slots(*arguments).out)["points"])


def fill_organizations(folder):
    """An instance on which LPT breaks locality, and one whose five jobs cooperation ends in a fifth of the time."""
    oas.save(oas.generate.uni(seed=1, organizations=2, jobs=6, processors=4), folder / "mosp.json")
    jobs = [[RigidJob("a", 1, 1)], [RigidJob("b", 1, 1)], [RigidJob("c", 2, 1), RigidJob("d", 2, 1)]]
    costly = MospInstance([Organization(f"O{k}", 1, own) for k, own in enumerate(jobs)])
    oas.save(costly, folder / "costly.json")
    alone = [Organization("O0", 1, [RigidJob(f"J{k}", 1, 1) for k in range(5)])]
    oas.save(MospInstance([*alone, *(Organization(f"O{k}", 1, []) for k in range(1, 5))]), folder / "alone.json")


def is_png(path):
    return path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_solve_compare_and_plot_draw(folder, run_here):
    solved = run_here("solve", "mosp.json", "-q", "--output", "result.json", "--gantt", "solve.png")
    assert solved.returncode == 0 and "picture written to solve.png" in solved.stderr
    compared = run_here("compare", "mosp.json", "-q", "--gantt", "compare.svg")
    assert compared.returncode == 0, compared.stderr
    drawn = run_here("plot", "mosp.json", "result.json", "ILBA", "local", "mocca(7/2)", "-o", "plot.png")
    assert drawn.returncode == 0, drawn.stderr
    single = run_here("plot", "mosp.json", "result.json", "--output", "single.png")
    assert single.returncode == 0 and not single.stdout
    assert all(is_png(folder / name) for name in ("solve.png", "plot.png", "single.png"))
    # One schedule with the bound that its file claims: the same figure either way.
    assert (folder / "solve.png").read_bytes() == (folder / "single.png").read_bytes()
    assert b"<svg" in (folder / "compare.svg").read_bytes()


def test_a_method_blind_to_locality_is_drawn_and_a_file_that_breaks_it_is_not(folder, run_here):
    assert run_here("plot", "costly.json", "LPT", "local", "-o", "x.png").returncode == 0
    instance = oas.load(folder / "costly.json")
    nodes = [("a", 0, 1, "O0"), ("b", 1, 2, "O0"), ("c", 0, 2, "O1"), ("d", 0, 2, "O2")]
    oas.save(Schedule([Placement(job, start, end, {at: [0]}) for job, start, end, at in nodes]), folder / "late.json")
    assert [one.rule for one in oas.verify(instance, oas.io.load_schedule(folder / "late.json"))] == ["locality"]
    refused = run_here("plot", "costly.json", "late.json", "-o", "y.png")
    assert refused.returncode == 3 and "locality" in refused.stderr and not (folder / "y.png").exists()


def fill(folder):
    fill_saturation(folder)
    fill_reservations(folder)
    fill_organizations(folder)
