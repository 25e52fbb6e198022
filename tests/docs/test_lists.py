"""The pages that list commands, heuristics, bounds and formulations list those that there are."""

import re
from pathlib import Path

import pytest

from oas.cli.main import COMMANDS
from oas.coallocation.instance import CoallocationInstance
from oas.core.registry import COALLOCATION, FAIR, MOSP, SLOWDOWN, problems
from oas.mosp.instance import MospInstance
from oas.solving.formulation import formulations
from oas.solving.lower_bound import all_bounds
from oas.solving.methods import ALL_VARIANTS, toolkit_methods

DOCS = Path(__file__).parents[2] / "docs"


def rows(page, heading):
    """The first table under a heading: for each row, by its first cell, the other cells by column."""
    section = (DOCS / page).read_text(encoding="utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    lines = re.findall(r"^\| (.*) \|$", section, re.MULTILINE)
    head, *body = (line.split(" | ") for line in lines)
    return {first: dict(zip(head[1:], rest, strict=True)) for first, *rest in body}


def test_every_heuristic_of_co_allocation():
    listed = rows("heuristics.md", "Co-allocation")
    assert list(listed) == [method.name for method in toolkit_methods(CoallocationInstance)]
    further = rows("heuristics.md", "Co-allocation over links that slow down")
    assert [*listed, *further] == [method.name for method in toolkit_methods(CoallocationInstance, SLOWDOWN)]
    assert all(method.guarantee is None for method in toolkit_methods(CoallocationInstance, ALL_VARIANTS))


def test_every_heuristic_of_organizations():
    listed = rows("heuristics.md", "Organizations that share clusters")
    methods = {method.name: method for method in toolkit_methods(MospInstance)}
    assert set(listed) == set(methods)
    for name, row in listed.items():
        assert row["keeps locality"] == ("yes" if methods[name].respects_locality else "no"), name
        assert row["guarantee"] == ("–" if methods[name].guarantee is None else "yes"), name
    ratios = rows("heuristics.md", "Guarantees")
    promised = {name for names in ratios for name in names.removesuffix(", α ≥ 4").split(", ")}
    families = {"MOCCA(α)", "LSRC(order)", "BATCH(order)"}
    assert families < promised
    assert promised - families - {"the same"} == {name for name, row in listed.items() if row["guarantee"] == "yes"}


def test_every_policy_of_fair_sharing():
    listed = rows("heuristics.md", "Fair sharing")
    methods = {method.name: method for method in toolkit_methods(FAIR)}
    assert set(listed) == set(methods)
    for name, row in listed.items():
        assert row["on line"] == ("no" if methods[name].clairvoyant else "yes"), name


@pytest.mark.parametrize(("problem", "heading"), [(COALLOCATION, "Co-allocation"), (MOSP, "MOSP")])
def test_every_bound(problem, heading):
    assert set(rows("how-it-proves.md", heading)) == {bound.name for bound in all_bounds(problem)}


def test_every_formulation():
    page = (DOCS / "api" / "models.rst").read_text(encoding="utf-8")
    builders = {one.builder for problem in problems() for one in formulations(problem).values()}
    listed, described = (set(re.findall(rf"{name}:: (\S+)", page)) for name in ("autoformulation", "automodule"))
    whole = {"oas.mosp.models.axis_pumpkin", "oas.coallocation.models.runs_exact"}  # have no families of constraints
    assert listed | whole == {builder.removesuffix(":build") for builder in builders} and whole <= described


def test_every_command():
    listed = {re.match(r"`oas ([\w-]+)", cell).group(1) for cell in rows("commands.md", "All commands")}
    assert listed == set(COMMANDS)
