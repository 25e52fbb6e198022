"""One question to Pumpkin: ``python -m oas.solvers.pumpkin_child FOLDER SEED [SECONDS]``, in a process of its own.

While Pumpkin searches, no Python code of its process runs, and it may abort the process. The question is the file
``question.json``; the starts, if there are some, are written to standard output, and the proof to ``proof``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from oas.solvers.descent import FOUND, OPEN, PROOF, QUESTION, REFUTED


def main(folder: str, seed: str, seconds: str | None = None) -> int:
    """Ask the question of the folder."""
    import pumpkin_solver
    from pumpkin_solver import constraints

    question = json.loads(Path(folder, QUESTION).read_text())
    if max(question["times"]) > question["length"]:  # Pumpkin aborts at an empty domain
        Path(folder, PROOF).write_text("i 1 0 c:1 l:time_table\nn 2 0 1\nc UNSAT\n")
        return REFUTED
    model = pumpkin_solver.Model(proof=str(Path(folder, PROOF)), seed=int(seed))
    starts = [
        model.new_integer_variable(0, question["length"] - time, name=f"s{job}")
        for job, time in enumerate(question["times"])
    ]
    for jobs, demands, loads, capacity in question["resources"]:
        model.add_constraint(
            constraints.Cumulative(
                [starts[job] for job in jobs] + [model.new_integer_variable(begin, begin) for begin, _, _ in loads],
                [question["times"][job] for job in jobs] + [end - begin for begin, end, _ in loads],
                demands + [demand for _, _, demand in loads],
                capacity,
                model.new_constraint_tag(),
            )
        )
    for before, after in question["orders"]:
        terms = [starts[before], starts[after].scaled(-1)]
        model.add_constraint(constraints.LessThanOrEquals(terms, 0, model.new_constraint_tag()))
    match model.satisfy(timeout=None if seconds is None else float(seconds)):
        case pumpkin_solver.SatisfactionResult.Satisfiable(solution):
            print(json.dumps([solution.int_value(start) for start in starts]))
            return FOUND
        case pumpkin_solver.SatisfactionResult.Unsatisfiable():
            return REFUTED
    return OPEN


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
