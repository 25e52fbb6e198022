"""The stand-alone checker on every entry of the instance library: verdicts, lines and times beside the toolkit's.

``python -m benchmarks.agreement.standalone_library [NAME…] [--log LOG]…`` runs the one file, isolated
(``python -I -S``), on the instance and the result of each entry, and again on a result whose bound is a tick higher. It
prints a table in Markdown and ends with 1 if anything differs from what the toolkit's own check says. Slices of a job
log need the log.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from time import process_time
from typing import TYPE_CHECKING

import oas
from oas.checker.bundle import bundle
from oas.core.errors import OasError
from oas.exact.recheck import recheck_result
from oas.io import save
from oas.io.logs.swf import read_swf
from oas.library import Library, LogMissingError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oas.core.instances import Instance
    from oas.core.result import Result

SLOWEST = 10


@dataclass(frozen=True)
class Seen:
    """What both say of one entry; times are processor seconds, the checker's with the start of Python."""

    name: str
    bound: str
    jobs: int
    agree: bool
    seconds: float
    toolkit_seconds: float
    refused: bool


def main(arguments: Iterable[str] | None = None) -> int:
    """Run the command; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--log", action="append", default=[], help="a job log (SWF); repeatable")
    parser.add_argument("names", nargs="*", help="names or patterns of entries; all if not given")
    given = parser.parse_args(None if arguments is None else list(arguments))
    library, logs = Library(), {log.sha256: log for log in map(read_swf, given.log)}
    seen, missing = [], 0
    with tempfile.TemporaryDirectory() as folder:
        checker = Path(folder) / "check_certificate.py"
        checker.write_text(bundle(oas.__version__), encoding="utf-8")
        for entry in library.select(given.names):
            try:
                instance, result = library.instance(entry.name, logs), library.result(entry.name, logs)
            except LogMissingError:
                missing += 1
                continue
            if result is not None:
                seen.append(_seen(checker, entry.name, instance, result))
                if not seen[-1].agree:
                    print(f"DIFFERENT: {entry.name}", file=sys.stderr)
    print(_report(seen, missing))
    return int(not all(one.agree for one in seen))


def _seen(checker: Path, name: str, instance: Instance, result: Result) -> Seen:
    begun = process_time()
    expected = _toolkit(instance, result)
    toolkit = process_time() - begun
    found, seconds = _run(checker, instance, result)
    higher = _raised(instance, result)
    raised, _ = _run(checker, instance, higher)
    agree = found == expected and raised == _toolkit(instance, higher)
    bound = result.proof.bound.name if result.proof and result.proof.bound else ""
    return Seen(name, bound, len(instance.jobs), agree, seconds, toolkit, raised is None)


def _toolkit(instance: Instance, result: Result) -> list[str] | None:
    """Return the lines of the toolkit, None if it refuses."""
    try:
        return recheck_result(instance, result)
    except OasError:
        return None


def _raised(instance: Instance, result: Result) -> Result:
    """Return the result without its schedule and with a bound, certified or claimed, that is a tick higher."""
    assert result.proof is not None and result.proof.bound is not None
    step = instance.scaled().tick
    bound = replace(result.proof.bound, value=result.proof.bound.value + step)
    proof = replace(result.proof, bound=bound)
    return replace(result, status=oas.Status.NO_SOLUTION, schedule=None, lower_bound=bound.value, proof=proof)


def _run(checker: Path, instance: Instance, result: Result) -> tuple[list[str] | None, float]:
    """Return the lines of the checker, None if it refuses, and its processor seconds."""
    files = [checker.with_name(name) for name in ("instance.json", "result.json")]
    save(instance, files[0])
    save(result, files[1])
    before = getrusage(RUSAGE_CHILDREN)
    ended = subprocess.run([sys.executable, "-I", "-S", checker, *files], capture_output=True, text=True, check=False)
    after = getrusage(RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if ended.returncode not in (0, 3) or (ended.returncode == 3) != (len(ended.stderr.splitlines()) == 1):
        raise RuntimeError(f"{result.instance_digest}: exit code {ended.returncode}: {ended.stderr}")
    return (ended.stdout.splitlines() if ended.returncode == 0 else None), seconds


def _report(seen: list[Seen], missing: int) -> str:
    lines = ["| bound | entries | agree | raised bound refused | mean s | most s |", "|---|---|---|---|---|---|"]
    for bound in sorted({one.bound for one in seen}):
        own = [one for one in seen if one.bound == bound]
        most, mean = max(one.seconds for one in own), sum(one.seconds for one in own) / len(own)
        agree, refused = sum(one.agree for one in own), sum(one.refused for one in own)
        lines.append(f"| {bound} | {len(own)} | {agree} | {refused} | {mean:.2f} | {most:.2f} |")
    lines += ["", "| slowest entries | bound | jobs | s | toolkit s |", "|---|---|---|---|---|"]
    for one in sorted(seen, key=lambda one: -one.seconds)[:SLOWEST]:
        lines.append(f"| {one.name} | {one.bound} | {one.jobs} | {one.seconds:.2f} | {one.toolkit_seconds:.2f} |")
    total, toolkit = sum(one.seconds for one in seen), sum(one.toolkit_seconds for one in seen)
    lines += ["", f"{len(seen)} entries in {total:.1f} s of processor time; the toolkit in {toolkit:.1f} s."]
    return "\n".join([*lines, f"Not checked, for want of their job log: {missing}."] if missing else lines)


if __name__ == "__main__":
    sys.exit(main())
