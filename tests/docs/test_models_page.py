"""docs/models.md lists the families of constraints that the models have, with their numbers of rows."""

import re
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import pyomo.environ as pyo
import pytest

import oas
from oas.core.registry import problems
from oas.fair.models.start_indexed import formulation as fair_formulation
from oas.fair.objectives import Objective, ScheduleClass
from oas.solvers.task import CPSAT
from oas.solving.formulation import formulations
from tests.coallocation import grids
from tests.mosp import instances as mosp
from tests.solving.test_capacity_rows import tight_links, wide_jobs

PAGE = (Path(__file__).parents[2] / "docs/models.md").read_text(encoding="utf-8")


def table(heading):
    """The cells of each row of the table under a heading, by the name of the family."""
    section = re.split(r"\n##+ ", PAGE.split(f"# {heading}\n")[1])[0]
    return {first.strip("`"): cells for first, *cells in re.findall(r"^\| (`\w+`) \|(.*) \|$", section, re.MULTILINE)}


def rows(heading):
    """The number of rows of each family as the page states it."""
    head = re.search(r"^\| family \|(.*) \|$", PAGE.split(f"# {heading}\n")[1], re.MULTILINE)[1].split(" | ")
    place = [cell.strip() for cell in head].index("rows")
    return {family: cells[0].split(" | ")[place].strip() for family, cells in table(heading).items()}


def pairs_of(groups):
    return [pair for group in groups for pair in pairwise(group)]


def sizes_literal(spec):
    starts = [len(spec.start_slots(job)) for job in range(spec.scaled.job_count)]
    return {
        "J": spec.scaled.job_count,
        "K": len(spec.links),
        "R": len(spec.nodes),
        "P": sum(tasks > 1 for tasks in spec.scaled.tasks),
        "B": sum(own * (own - 1) // 2 for own in starts),
        "V": sum(len(link.covers) for link in spec.links),
        "θ": spec.horizon,
    }


def sizes_start_indexed(spec):
    return {
        "J": spec.scaled.job_count,
        "K": spec.scaled.cluster_count,
        "C": len(spec.scaled.classes),
        "M": len(spec.moments),
        "E": len(spec.ends),
        "V": len(spec.link_covers[1]),
        "I": sum(len(spec.starts[first]) for first, _ in pairs_of(spec.identical_jobs)),
    }


def sizes_sequence(spec):
    return {
        "J": len(spec.choices),
        "A": sum(map(len, spec.choices)),
        "D": len(spec.configurations),
        "T": len(spec.steps),
        "I": len(pairs_of(spec.identical_jobs)),
    }


def sizes_mosp(spec):
    return {
        "J": spec.scaled.job_count,
        "Y": len(list(spec.columns())),
        "M": sum(map(len, spec.moments)),
        "E": len(spec.ends),
        "V": sum(len(covers) for _, covers in spec.rows.values()),
        "I": len(pairs_of(spec.identical_jobs)),
        "G": len(pairs_of(spec.identical_clusters)),
    }


def sizes_fair(spec):
    return {
        "J": len(spec.times),
        "N": len(spec.queues),
        "W": len(list(spec.columns())),
        "T": len(spec.moments),
        "E": len(spec.ends) if spec.objective is Objective.MAKESPAN else 0,
        "F": sum(len(spec.starts[job]) for queue in spec.queues for job in queue[1:]),
        "I": sum(len(spec.starts[pair[0]]) for pairs in spec.alike for pair in pairs),
    }


def crowded():
    """One cluster of a million processors; jobs that fill it up to a few."""
    jobs, held = wide_jobs(0, 1_000_000)
    members = [oas.RigidJob(f"j{index}", *job) for index, job in enumerate(jobs)]
    return oas.MospInstance([oas.Organization("A", 1_000_000, members, [oas.Reservation(1, 3, held)])], None)


def shared(releases):
    """Organizations A and B alike, of two jobs each."""
    jobs = {name: [oas.RigidJob(f"{name}{k}", 2 + k, 1, k * releases) for k in range(2)] for name in "AB"}
    return oas.FairInstance([oas.Organization(name, 1, own) for name, own in jobs.items()], 14)


ONE = oas.FairInstance([oas.Organization("A", 1, [oas.RigidJob("a", 1, 1)])], 3)  # every start is certain
FAIR = [fair_formulation(objective, chosen) for objective in Objective for chosen in ScheduleClass]
LITERAL = (grids.mixed(), grids.continuous(), tight_links(1, jobs=2, longest=2), tight_links(3, jobs=2, longest=2))
START_INDEXED = (grids.mixed(), grids.alike(), grids.continuous(), *(tight_links(k, 3, 4) for k in range(6)))
ORGANIZATIONS = (mosp.unequal(), mosp.alike(), mosp.reserved(), crowded())
MODELS = {
    "Literal": (sizes_literal, [("literal", one) for one in LITERAL]),
    "Start-indexed": (sizes_start_indexed, [("start-indexed", one) for one in START_INDEXED]),
    "Phases": (sizes_sequence, [("phases", grids.slowed()), ("phases", grids.four_jobs("slowdown"))]),
    "Slots": (sizes_sequence, [("slots", grids.slowed(1))]),
    "Start-indexed, organizations": (sizes_mosp, [("start-indexed", one) for one in ORGANIZATIONS]),
    "Start-indexed, fair sharing": (
        sizes_fair,
        [(one, case) for one in FAIR for case in (shared(0), shared(3), ONE)],
    ),
}


def models(heading):
    """Reduced models with a lower bound, and models that are not reduced."""
    for formulation, instance in MODELS[heading][1]:
        yield oas.model(instance, formulation, lower_bound=1)
        yield oas.model(instance, formulation, reduced=False)


@pytest.mark.parametrize("heading", MODELS)
def test_every_family_is_listed_with_its_rows(heading):
    sizes, stated = MODELS[heading][0], rows(heading)
    most = dict.fromkeys(stated, 0)
    for model in models(heading):
        known = sizes(model._spec)
        families = {one.local_name: len(one) for one in model.pyomo.component_objects(pyo.Constraint)}
        built = {family: count for family, count in families.items() if count or family in stated}
        assert set(built) <= set(stated), set(built) - set(stated)
        for family, count in built.items():
            expression = stated[family].replace("·", "*").replace("−", "-")
            limit = eval(expression.removeprefix("≤ "), {"max": max}, known)
            assert count <= limit if expression.startswith("≤ ") else count == limit, (family, count, known)
            most[family] = max(most[family], count)
    assert [family for family, count in most.items() if not count] == []  # each of them has rows somewhere


@pytest.mark.parametrize("heading", ["Counts", "Cumulative"])
def test_every_method_of_a_model_for_cp_sat_is_listed(heading):
    (one,) = [found[heading.lower()] for found in map(formulations, problems()) if heading.lower() in found]
    path = find_spec(one.builder.partition(":")[0]).origin  # imported, it would load OR-Tools here
    source = Path(path).read_text(encoding="utf-8")
    called = re.findall(r"builder\.(\w+)\(\)$", source, re.MULTILINE)
    assert one.family == CPSAT and set(table(heading)) == set(called) - {"variables"}


def test_every_formulation_has_a_section():
    listed = re.findall(r"^\| \[([\w-]+)\]\(#\S+\) \|", PAGE, re.MULTILINE)
    known = [name for problem in problems() for name in formulations(problem)]
    assert sorted(listed) == sorted([*known, "start-indexed"])  # and that of fair sharing, which is not selected
