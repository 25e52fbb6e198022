"""One question to Exact: ``python -m oas.solvers.exact_child FOLDER SEED [SECONDS]``, in a process of its own.

Exact looks at its time limit only between restarts, which can be minutes apart. The question is the file
``question.json``; the variables that are 1 are written to standard output, the proof to ``proof``, and the rows to
``proof.formula``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from oas.solvers.descent import FOUND, OPEN, PROOF, QUESTION, REFUTED

OPTIONS = {
    "proof-zip": "0",
    "proof-assumptions": "0",  # no techniques whose proofs are incomplete
    # Without these two, each step of a proof is an expression: there is no unit propagation to repeat.
    "inp-probing": "0",
    "inp-atmostone": "0",
    "verbosity": "0",
}


def main(folder: str, seed: str, seconds: str = "0") -> int:
    """Ask the question of the folder."""
    import exact

    question = json.loads(Path(folder, QUESTION).read_text())
    proof = Path(folder, PROOF)
    solver = exact.Exact([*OPTIONS.items(), ("seed", str(int(seed) + 1)), ("proof-log", str(proof))])
    names = [f"v{number}" for number in range(question["variables"])]
    for name in names:
        solver.addVariable(name, 0, 1)
    for terms, least in question["rows"]:
        solver.addConstraint([(term, names[variable]) for term, variable in terms], True, least)
    answer = solver.runFull(False, float(seconds))
    if answer == "SAT":
        values = solver.getLastSolutionFor(names)
        print(json.dumps([number for number, value in enumerate(values) if value]))
        return FOUND
    del solver  # which completes the proof
    if answer == "UNSAT":
        proof.with_suffix(".proof").replace(proof)
        return REFUTED
    return OPEN


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
