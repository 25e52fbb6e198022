"""Summaries by hand, and tables whose text cannot break out of its cell."""

from fractions import Fraction
from statistics import mean

from oas.campaigns.report.summary import notes, spread, summarise
from oas.campaigns.report.tables import Table, escape_latex, escape_markdown, to_latex, to_markdown
from oas.campaigns.report.writing import summary_latex, summary_markdown

HOSTILE = "a|b_c*<i>`\\\n# $x$ & 100 % {~^}"

MOSP, FREE = "mosp", "mosp without locality"


def row_of(runs, method, group):
    return next(row for row in summarise(runs) if (row.method, row.group) == (method, group))


def test_spread_by_hand():
    one = spread([Fraction(1, 2), None, Fraction(0), Fraction(1, 4), Fraction(1)])
    assert (one.count, one.mean, one.median, one.worst) == (4, 0.4375, 0.375, 1.0)
    assert spread([None]) == spread([])
    assert spread([]).mean is None


def test_rows(made, runs_of):
    runs = runs_of()
    ilba = row_of(runs, "ILBA", MOSP)
    gaps = [run.gap for run in runs.runs if run.order.method.label == "ILBA" and run.group == MOSP]
    assert ilba.runs == ilba.solved == ilba.gap.count == 2
    assert ilba.gap.mean == float(mean(gaps))
    assert ilba.gap.worst == float(max(gaps))
    assert ilba.optimal == gaps.count(0)
    exact = row_of(runs, "highs", MOSP)
    assert sum(exact.proven.values()) == 2
    assert set(exact.proven) <= {"certificate", "solver", "brute_force"}
    assert exact.gap.worst == 0
    high = row_of(runs, "MOLBA-high", MOSP)
    solved = [one for one in made.records if one.method == "MOLBA-high" and one.objective is not None]
    assert high.endings.get("no schedule", 0) == 2 - sum(
        one.digest in {r.relaxed for r in runs.runs if r.group == MOSP} for one in solved
    )


def test_selfless_methods_are_apart(made, runs_of):
    runs = runs_of()
    groups = {row.group for row in summarise(runs) if row.method == "LPT"}
    assert groups == {"coallocation", FREE}
    text = summary_markdown(made.campaign, runs)
    kept, _, free = text.partition("## Organizations, no locality")
    assert "| LPT |" in free
    assert "| LPT |" not in kept.partition("## Organizations")[2]
    assert "another problem" in free


def test_exact_methods_first_then_by_gap(runs_of):
    rows = [row for row in summarise(runs_of()) if row.group == "coallocation"]
    assert rows[0].kind == "exact"
    gaps = [row.gap.mean for row in rows[1:]]
    assert gaps == sorted(gaps)


def test_limits_and_deaths_are_told(made, runs_of):
    exact = made.record("highs", "tiny")
    runs = runs_of(made.changed(exact, status="feasible", termination="time_limit", lower_bound="1/9"))
    row = row_of(runs, "highs", "coallocation")
    assert row.endings == {"time_limit": 1}
    assert (row.gap.count, row.bound_gap.count) == (1, 2)
    assert "1 time limit" in summary_markdown(made.campaign, runs)


def test_notes(made, runs_of):
    rows = [one for one in made.records if one.kind != "exact"]
    text = " ".join(notes(runs_of(rows)))
    assert f"6 of {len(made.orders)} runs are missing: highs 6." in text
    record = made.record("ILBA", "uni")
    assert any(one.startswith("Contradiction") for one in notes(runs_of(made.changed(record, objective="1/7"))))
    assert notes(runs_of()) == []


def test_markdown_cells_stay_cells():
    text = to_markdown("T", [], [Table("A", ("method", "n"), [(HOSTILE, "1")])])
    (line,) = [one for one in text.splitlines() if "100" in one]
    assert line.replace("\\\\", "").replace("\\|", "").count("|") == 3
    assert escape_markdown("a_b") == "a\\_b"
    assert "| --- | ---: |" in text


def test_latex_is_escaped():
    assert escape_latex("50 % of $x_1$ & \\input{y}") == r"50 \% of \$x\_1\$ \& \textbackslash{}input\{y\}"
    text = to_latex("T\n\\end", ["one\ntwo"], [Table("A", ("method", "n"), [(HOSTILE, "1"), ("[2]", "–")])])
    assert all(line.startswith("%") for line in text.splitlines()[:3])
    body = text[text.index(r"\midrule") : text.index(r"\bottomrule")]
    assert body.count(r" \\") == 2
    assert body.replace(r"\&", "").count("&") == 2
    assert "{[}2{]}" in body


def test_latex_of_a_campaign_balances(made, runs_of):
    text = summary_latex(made.campaign, runs_of())
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 6
    assert text.count(r"\toprule") == text.count(r"\bottomrule") == 6
