"""The stored LP files of the formulations: `python -m tests.solving.pinned` writes them anew."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from oas.coallocation.models import literal, phases, slots
from oas.coallocation.models import start_indexed as coallocation_start_indexed
from oas.fair.models.start_indexed import formulation as fair_start_indexed
from oas.fair.objectives import Objective, ScheduleClass
from oas.mosp.models import start_indexed as mosp_start_indexed
from tests.coallocation import grids as coallocation
from tests.fair.instances import fair
from tests.mosp import instances as mosp
from tests.solving.rows import model_of


def twins():
    """Two organizations with the same jobs, and one with a job of two processors and a later one."""
    own = [(2,), (3, 1)]
    return fair((1, own), (1, own), (2, [(2, 0, 2), (1, 2)]), horizon=6)


FOLDER = Path(__file__).parents[1]
AS_PRINTED = replace(literal.FORMULATION, prepare=literal.FORMULATION.prepare_full)

# Stored file: formulation, instance, horizon and lower bound, in ticks or, of a continuous formulation, as times.
PINNED = {
    "coallocation/models/lp/literal-mixed": (literal.FORMULATION, coallocation.mixed, 6, 0),
    "coallocation/models/lp/literal-printed": (AS_PRINTED, coallocation.mixed, 6, 0),
    "coallocation/models/lp/literal-continuous": (literal.FORMULATION, coallocation.continuous, 4, 3),
    "coallocation/models/lp/literal-uniform": (literal.FORMULATION, lambda: coallocation.uniform(4), 4, 1),
    "coallocation/models/lp/start-indexed-mixed": (coallocation_start_indexed.FORMULATION, coallocation.mixed, 6, 0),
    "coallocation/models/lp/start-indexed-continuous": (
        coallocation_start_indexed.FORMULATION,
        coallocation.continuous,
        4,
        3,
    ),
    "coallocation/models/lp/start-indexed-uniform": (
        coallocation_start_indexed.FORMULATION,
        lambda: coallocation.uniform(4),
        4,
        1,
    ),
    "coallocation/models/lp/start-indexed-alike": (coallocation_start_indexed.FORMULATION, coallocation.alike, 6, 2),
    "coallocation/models/lp/phases-slowdown": (phases.FORMULATION, coallocation.slowed, 8, 3),
    "coallocation/models/lp/slots-slowdown": (slots.FORMULATION, lambda: coallocation.slowed(1), 6, 3),
    "mosp/models/lp/start-indexed-unequal": (mosp_start_indexed.FORMULATION, mosp.unequal, 6, 0),
    "mosp/models/lp/start-indexed-reserved": (mosp_start_indexed.FORMULATION, mosp.reserved, 6, 3),
    "mosp/models/lp/start-indexed-alike": (mosp_start_indexed.FORMULATION, mosp.alike, 3, 1),
    "fair/models/lp/start-indexed-greedy": (
        fair_start_indexed(Objective.STRATEGY_PROOF, ScheduleClass.GREEDY),
        twins,
        6,
        0,
    ),
    "fair/models/lp/start-indexed-any": (fair_start_indexed(Objective.FLOW, ScheduleClass.ANY), twins, 6, 0),
    "fair/models/lp/start-indexed-makespan": (
        fair_start_indexed(Objective.MAKESPAN, ScheduleClass.GREEDY),
        twins,
        8,
        5,
    ),
}


def path_of(name):
    """Return where the LP file of this name is stored."""
    return FOLDER / f"{name}.lp"


def lp_text(name):
    """Return the LP file, by symbolic names, of the model that is built today."""
    formulation, make, horizon, lower_bound = PINNED[name]
    instance = make()
    spec = formulation.prepare(instance, instance.scaled(), horizon, lower_bound)
    model = model_of(formulation, spec)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.lp"
        model.write(str(path), io_options={"symbolic_solver_labels": True})
        return path.read_text(encoding="utf-8")


def write():
    """Store every file anew."""
    for name in PINNED:
        path_of(name).parent.mkdir(exist_ok=True)
        path_of(name).write_text(lp_text(name), encoding="utf-8")


if __name__ == "__main__":
    write()
