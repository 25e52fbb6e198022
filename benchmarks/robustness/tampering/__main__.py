"""Test of tampered results: neither checker may accept a bound above the true optimum, or answer late.

    python -m benchmarks.robustness.tampering --count 10000 --seed 0 --folder build/tampering

File number i of a seed is always the same file; ``--only i`` stores that one. The folder contains the valid results,
the outcomes, and files with violations; a run continues where an earlier one stopped. Exit code 1 after a violation.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import asdict, dataclass
from fractions import Fraction
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.common import Journal
from benchmarks.robustness.tampering.checkers import Answer, ask, programs
from benchmarks.robustness.tampering.rules import Tampered, tampered
from benchmarks.robustness.tampering.specimens import keep_in, specimens_in
from oas.io import dumps

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from benchmarks.robustness.tampering.checkers import Program
    from benchmarks.robustness.tampering.specimens import Specimen

UNCHECKED = "not re-checked"  # a checker's words for a bound that rests on a solver's claim
COLUMNS = ("files", "refused", "bad file", "accepted, still true", "on a solver's claim", "violations", "slowest, s")


@dataclass(frozen=True)
class Outcome:
    """Outcome for one file: number, rule, proof, verdicts, violations, whether a solver claims it, seconds."""

    index: int
    rule: str
    proof: str
    verdicts: dict[str, str]
    violations: list[str]
    claimed: bool
    seconds: float


def judge(index: int, file: Tampered, answers: Mapping[str, Answer]) -> Outcome:
    """Compare answers with the optimum, and with each other."""
    verdicts = {name: one.verdict for name, one in answers.items()}
    violations = [f"{name}: {one.fault}" for name, one in answers.items() if one.fault]
    claimed = any(one.verdict == "accepted" and UNCHECKED in one.output for one in answers.values())
    if "accepted" in verdicts.values():
        violations += false_claims(file, claimed)
        if len(set(verdicts.values())) > 1:
            violations.append(f"the checkers disagree: {verdicts}")
    seconds = max(one.seconds for one in answers.values())
    return Outcome(index, file.rule, file.specimen.name, verdicts, violations, claimed, round(seconds, 3))


def false_claims(file: Tampered, claimed: bool) -> list[str]:
    """Return the false claims of an accepted file, given the known optimum."""
    document, optimum = json.loads(file.data), file.specimen.optimum
    lower, objective = (
        None if document[name] is None else Fraction(str(document[name])) for name in ("lower_bound", "objective")
    )
    checks = {
        f"the bound {lower} was accepted above the optimum {optimum}": lower is not None
        and lower > optimum
        and not claimed,
        f"a makespan of {objective} was accepted below the optimum {optimum}": objective is not None
        and objective < optimum,
        "an instance with a schedule was accepted as infeasible": document["status"] == "infeasible",
        "an optimum was accepted without bound and schedule that meet": document["status"] == "optimal"
        and (lower is None or lower != objective),
    }
    return [text for text, holds in checks.items() if holds]


def run(
    folder: Path, specimens: Sequence[Specimen], checkers: Mapping[str, Program], seed: int, numbers: Iterable[int]
) -> Iterator[tuple[Outcome, bytes]]:
    """Yield the outcome of each file, and the file."""
    instance, result = folder / "instance.json", folder / "result.json"
    for index in numbers:
        file = tampered(specimens, seed, index)
        instance.write_bytes(dumps(file.specimen.instance))
        result.write_bytes(file.data)
        yield judge(index, file, {name: ask(one, (instance, result)) for name, one in checkers.items()}), file.data


def table(outcomes: Sequence[Outcome], column: str) -> str:
    """Return one line for each rule or proof."""
    groups: dict[str, list[Outcome]] = defaultdict(list)
    for one in outcomes:
        groups[getattr(one, column)].append(one)
    lines = [f"| {column} | {' | '.join(COLUMNS)} |", "|---" * (len(COLUMNS) + 1) + "|"]
    for name, own in [*sorted(groups.items()), ("all", list(outcomes))]:
        accepted = [one for one in own if "accepted" in one.verdicts.values()]
        others = [next(iter(one.verdicts.values())) for one in own if one not in accepted]
        claimed = sum(one.claimed for one in accepted)
        cells = [len(own), others.count("refused"), others.count("bad file"), len(accepted) - claimed, claimed]
        slowest = max((one.seconds for one in own), default=0.0)
        cells += [sum(bool(one.violations) for one in own)]
        lines.append(f"| {name} | {' | '.join(map(str, cells))} | {slowest:.2f} |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10_000, help="number of files")
    parser.add_argument("--seed", type=int, default=0, help="of the files")
    parser.add_argument("--only", type=int, help="this file alone, which is kept")
    parser.add_argument("--minutes", type=float, help="time limit")
    parser.add_argument("--folder", type=Path, default=Path("build/tampering"), help="of honest results and outcomes")
    options = parser.parse_args(arguments)
    honest, record = options.folder / "honest.json", options.folder / f"outcomes-{options.seed}.jsonl"
    if not honest.exists():  # in a separate process, so that no threads of solvers remain in this one
        making = get_context("spawn").Process(target=keep_in, args=(honest,))
        making.start()
        making.join()
    ends = time.monotonic() + 60 * (options.minutes or 10**6)
    with tempfile.TemporaryDirectory() as scratch, Journal(record) as journal:
        outcomes = [Outcome(**row) for row in journal.rows]
        known = {one.index for one in outcomes}
        numbers = [one for one in range(options.count) if one not in known] if options.only is None else [options.only]
        for outcome, data in run(Path(scratch), specimens_in(honest), programs(), options.seed, numbers):
            outcomes.append(outcome)
            for violation in outcome.violations:
                print(f"VIOLATION by file {outcome.index} ({outcome.proof}; {outcome.rule}): {violation}", flush=True)
            if outcome.violations or options.only is not None:
                (options.folder / f"{options.seed}-{outcome.index}.json").write_bytes(data)
            if options.only is None:
                journal.add(asdict(outcome))
            if time.monotonic() > ends:
                break
    violations = sum(bool(one.violations) for one in outcomes)
    print(table(outcomes, "rule"), table(outcomes, "proof"), sep="\n\n")
    print(f"\n{len(outcomes)} files; {violations} with violations")
    return int(violations > 0)


if __name__ == "__main__":
    sys.exit(main())
