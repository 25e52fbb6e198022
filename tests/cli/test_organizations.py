"""Organizations at the command line: pictures, the table with its guarantees, cuts by name."""

from __future__ import annotations

import json

import oas
from oas.core.schedule import Placement, Schedule
from oas.problems.mosp.instance import MospInstance
from oas.problems.rigid import Organization, RigidJob


def fill(folder):
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


def test_the_bound_of_another_instance_is_not_drawn(folder, run_here):
    assert run_here("solve", "costly.json", "-q", "--output", "result.json").returncode == 0
    oas.save(oas.load(folder / "costly.json").with_locality(3), folder / "loose.json")
    drawn = run_here("plot", "loose.json", "result.json", "-o", "x.svg")
    assert drawn.returncode == 0, drawn.stderr
    own = run_here("plot", "costly.json", "result.json", "-o", "own.svg")
    assert own.returncode == 0
    assert (folder / "x.svg").read_bytes() != (folder / "own.svg").read_bytes()


def test_a_claimed_bound_above_the_schedule_is_refused(folder, run_here):
    assert run_here("solve", "costly.json", "-q", "--output", "result.json").returncode == 0
    result = json.loads((folder / "result.json").read_text())
    result["lower_bound"], result["gap"] = 5, -0.4
    (folder / "result.json").write_text(json.dumps(result))
    drawn = run_here("plot", "costly.json", "result.json", "-o", "x.png")
    assert drawn.returncode in (2, 3) and not (folder / "x.png").exists() and "Traceback" not in drawn.stderr


def test_the_table_sets_guarantees_beside_what_is_observed(run_here):
    done = run_here("compare", "alone.json", "-q", "--heuristic", "MOCCA(9/2)", "--heuristic", "mocca(3.5)")
    assert done.returncode == 0, done.stderr
    table, _, _ = done.stdout.partition("\n\n")
    rows = {line.split()[0]: line for line in table.splitlines()}
    assert "guarantee" in done.stdout and "/ observed" in done.stdout
    assert "3 / 3 " in rows["MOCCA"] and "4 / 4 " in rows["MOCCA(4)"] and "4.5 / 4.5 " in rows["MOCCA(9/2)"]
    assert "1.8 / 1 " in rows["ILBA"]  # 2 − 1/5, sequential jobs
    assert " – " in rows["MOCCA(7/2)"] and " – " in rows["MOCCA-7"]
    assert "MOCCA ≤ 3 · optimum: local HF, every job fits every cluster (MOCCA paper, Theorem 1)" in done.stdout
