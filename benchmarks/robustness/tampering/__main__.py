"""Tampered results by the ten thousand, for both checkers: none accepted above the true optimum, each answered soon.

``python -m benchmarks.robustness.tampering --count 10000 --seed 0``. File number i of a seed is always the same file;
``--only i`` looks at that one and keeps it. ``--record FILE`` keeps the outcomes, goes on where it was left, and with
``--minutes`` stops in time. ``--alone FILE`` gives the stand-alone checker, which `oas checker` writes.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.robustness.tampering.checkers import Checker
from benchmarks.robustness.tampering.outcomes import Outcome, table
from benchmarks.robustness.tampering.rules import tampered
from benchmarks.robustness.tampering.specimens import kept_in, specimens
from oas.io import dumps

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.robustness.tampering.specimens import Specimen


class Range:
    """Where tampered files are shot at the checkers.

    Parameters
    ----------
    folder
        For files.
    held
        What is tampered with.
    programs
        The checkers by name.
    """

    def __init__(self, folder: Path, held: Sequence[Specimen], programs: dict[str, str]) -> None:
        self.folder, self.held, self.programs = folder, held, programs
        self.instances: dict[str, Path] = {}
        for one in held:
            path = folder / f"{one.instance.digest}.json"
            path.write_bytes(dumps(one.instance))
            self.instances[one.instance.digest] = path

    def shoot(self, seed: int, numbers: Sequence[int], known: dict[int, Outcome]) -> Iterator[tuple[Outcome, Path]]:
        """Yield what comes of these files, and where each lies until the next comes.

        Of a file that is known, those checkers are asked whose verdict is not.
        """
        result = self.folder / "tampered.json"
        honest = list(self._honest())
        checkers = {name: Checker(program) for name, program in self.programs.items()}
        try:
            for checker in checkers.values():
                checker.warm(honest)
            for index in numbers:
                file = tampered(self.held, seed, index)
                result.write_bytes(file.data)
                place = self.instances[file.specimen.instance.digest]
                before = known.get(index, Outcome(index, file.rule, file.specimen.name, {}, {}, {}))
                asked = {name: checker for name, checker in checkers.items() if name not in before.verdicts}
                answers = {name: checker.check(place, result) for name, checker in asked.items()}
                yield before.with_more(Outcome.of(index, file, answers)), result
        finally:
            for checker in checkers.values():
                checker.close()

    def _honest(self) -> Iterator[tuple[Path, Path]]:
        """One honest result of each kind of proof."""
        for number, name in enumerate(sorted({one.name for one in self.held})):
            one = max((one for one in self.held if one.name == name), key=lambda one: len(dumps(one.result)))
            path = self.folder / f"honest-{number}.json"
            path.write_bytes(dumps(one.result))
            yield self.instances[one.instance.digest], path


def main() -> int:
    """Run from the command line; return the exit code."""
    given = _arguments()
    began = time.monotonic()
    programs = {"oas": "oas"} | ({"alone": str(given.alone)} if given.alone else {})
    known = _read(given.record)
    done = {n for n, one in known.items() if one.verdicts.keys() >= programs.keys()}
    if given.again:
        done = {n for n in done if not known[n].violations}
        known = {n: one for n, one in known.items() if not one.violations}
    numbers = [given.only] if given.only is not None else [n for n in range(given.count) if n not in done]
    with tempfile.TemporaryDirectory(prefix="oas-tampering-") as folder:
        held = kept_in(given.specimens) if given.specimens else list(specimens())
        for outcome, path in Range(Path(folder), held, programs).shoot(given.seed, numbers, known):
            known[outcome.index] = outcome
            if given.record:
                with given.record.open("a") as file:
                    file.write(outcome.line() + "\n")
            for what in outcome.violations:
                print(f"VIOLATION by file {outcome.index} ({outcome.name}; {outcome.rule}): {what}", flush=True)
            if given.keep and (outcome.violations or given.only is not None):
                given.keep.mkdir(exist_ok=True, parents=True)
                (given.keep / f"{outcome.index}.json").write_bytes(path.read_bytes())
            if given.minutes and time.monotonic() - began > 60 * given.minutes:
                break
    outcomes = list(known.values())
    for by, title in ((lambda one: one.rule, "rule"), (lambda one: one.name, "proof")):
        print(table(outcomes, by, title), end="\n\n")
    bad = sum(bool(one.violations) for one in outcomes)
    print(f"{len(outcomes)} of {given.count} files; {bad} with violations")
    return 1 if bad else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, help="this file alone")
    parser.add_argument("--alone", type=Path, help="the stand-alone checker")
    parser.add_argument("--record", type=Path, help="keeps outcomes, and goes on where it ends")
    parser.add_argument("--again", action="store_true", help="those with violations too")
    parser.add_argument("--minutes", type=float, help="stop after so long")
    parser.add_argument("--specimens", type=Path, help="folder that keeps the honest results for the next time")
    parser.add_argument("--keep", type=Path, help="folder for files with violations")
    return parser.parse_args()


def _read(record: Path | None) -> dict[int, Outcome]:
    if record is None or not record.exists():
        return {}
    return {one["index"]: Outcome(**one) for one in map(json.loads, record.read_text().splitlines())}


if __name__ == "__main__":
    sys.exit(main())
