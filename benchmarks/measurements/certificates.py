"""How proven optima are certified: by which bound, how large certificates are, and what checking costs.

    python -m benchmarks.measurements.certificates coallocation sixteen --seeds 1 --seconds 60
    python -m benchmarks.measurements.certificates mosp locality --output certificates.md

Instances are those of the plans in `benchmarks.proof_rates`; `oas.solve` alone runs, and every certificate is
re-checked from the file that the result is written to.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from statistics import median
from time import process_time
from typing import TYPE_CHECKING

from benchmarks.measurements.machine import cpu_model
from oas.core.result import ProofKind, Status
from oas.exact.pipeline import solve
from oas.exact.recheck import recheck_result
from oas.exact.versions import versions
from oas.io.packed import pack, unpack_result

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from oas.core.instances import Instance

NOT_PROVEN, UNCERTIFIED = "not proven", "a solver's word"


@dataclass(frozen=True)
class Certified:
    """What certifies an optimum.

    Attributes
    ----------
    cell
        Of the plan.
    bound
        Its name; `NOT_PROVEN` or `UNCERTIFIED` where there is none.
    size, packed
        Bytes of the result as one line of JSON, and gzipped.
    solved
        Wall time of `oas.solve`, seconds.
    checked
        CPU time of checking the result, seconds.
    """

    cell: str
    bound: str
    size: int = 0
    packed: int = 0
    solved: float = 0.0
    checked: float = 0.0


def measure(cell: str, instance: Instance, seconds: float) -> Certified:
    """Solve an instance, and check its result again if it is optimal by certificate."""
    result = solve(instance, time_limit=seconds)
    if result.status is not Status.OPTIMAL or result.proof is None:
        return Certified(cell, NOT_PROVEN)
    if result.proof.kind is not ProofKind.CERTIFICATE or result.proof.bound is None:
        return Certified(cell, UNCERTIFIED)
    data = pack(result)
    read = unpack_result(data)
    began = process_time()
    recheck_result(instance, read)
    taken = process_time() - began
    text = len(str(result.proof.bound.certificate))
    return Certified(cell, result.proof.bound.name, text, len(data), result.seconds["total"], taken)


def table(rows: Sequence[Certified], key: str) -> list[str]:
    """Return a table of the rows by `key`, an attribute's name."""
    groups: defaultdict[str, list[Certified]] = defaultdict(list)
    for row in rows:
        groups[getattr(row, key)].append(row)
    lines = [
        f"| {key} | instances | certified | bytes, median | most | packed result, most | solved s, median | most | "
        "checked CPU s, median | most |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name, own in groups.items():
        held = [row for row in own if row.bound not in (NOT_PROVEN, UNCERTIFIED)]
        figures = "– | – | – | – | – | – | –"
        if held:
            sizes, checks = [row.size for row in held], [row.checked for row in held]
            solved = [row.solved for row in held]
            figures = (
                f"{median(sizes):,.0f} | {max(sizes):,} | {max(row.packed for row in held):,} | {median(solved):.1f} | "
                f"{max(solved):.1f} | {median(checks):.2f} | {max(checks):.2f}"
            )
        lines.append(f"| {name} | {len(own)} | {len(held)} | {figures} |")
    return lines


def report(title: str, rows: Sequence[Certified], command: str) -> str:
    """Return the page."""
    kinds = Counter(row.bound for row in rows)
    proven = len(rows) - kinds[NOT_PROVEN]
    certified = proven - kinds[UNCERTIFIED]
    software = ", ".join(f"{name} {text}" for name, text in versions({}).items())
    return "\n".join(
        [
            f"# What certifies: {title}",
            "",
            f"{len(rows)} instances, {proven} proven, {certified} of them by certificate, each checked again from its",
            "file. Bytes are those of the certificate as text, and of the whole result packed as in the library.",
            "",
            f"`{command}`, {cpu_model()}, {software}",
            "",
            *table(rows, "bound"),
            "",
            *table(rows, "cell"),
            "",
        ]
    )


def rows_of(problem: str, plan: str, seeds: int | None, seconds: float | None) -> Iterable[Certified]:
    """Yield the rows of a plan's instances."""
    for case in import_module(f"benchmarks.proof_rates.{problem}.plans").cases([plan], seeds):
        row = measure(str(case.cell), case.cell.instance(case.seed), seconds or case.cell.seconds)
        print(f"{row.cell} seed {case.seed}: {row.bound}, {row.checked:.2f} s", file=sys.stderr)
        yield row


def main(arguments: list[str] | None = None) -> int:
    """Measure and print the page, or write it to a file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problem", choices=("coallocation", "mosp"))
    parser.add_argument("plan", help="a plan of benchmarks.proof_rates")
    parser.add_argument("--seeds", type=int, help="so many instances of each cell; the plan's if not given")
    parser.add_argument("--seconds", type=float, help="limit for each solve; the cell's if not given")
    parser.add_argument("--output", type=Path, help="Markdown file to write; stdout if not given")
    options = parser.parse_args(arguments)
    rows = list(rows_of(options.problem, options.plan, options.seeds, options.seconds))
    given = "".join(f" --{name} {value:g}" for name in ("seeds", "seconds") if (value := getattr(options, name)))
    command = f"python -m benchmarks.measurements.certificates {options.problem} {options.plan}{given}"
    page = report(f"plan {options.plan}, {options.problem}", rows, command)
    if options.output:
        options.output.write_text(page, encoding="utf-8")
    else:
        print(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
