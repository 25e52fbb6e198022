"""The two checkers, called under limits: the command `oas verify`, and the stand-alone file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

SECONDS = 5.0  # of CPU for a check
MEGABYTES = 512  # resident, with the program itself
SERVER = Path(__file__).with_name("fork_server.py")
VERDICTS = {0: "accepted", 2: "bad file", 3: "refused"}


@dataclass(frozen=True)
class Answer:
    """The answer of a checker.

    Attributes
    ----------
    verdict
        ``accepted``, ``refused``, ``bad file``, or ``ended by …`` for what none of them is.
    seconds
        Of CPU.
    memory
        Most resident bytes of its process.
    said
        What it wrote, output before errors.
    """

    verdict: str
    seconds: float
    memory: int
    said: str

    @property
    def fault(self) -> str:
        """What is wrong with the manner of the answer; empty if nothing is."""
        if self.verdict not in VERDICTS.values():
            return f"{self.verdict}: {self.said[-1500:]}"
        if "Traceback" in self.said:
            return f"a traceback: {self.said[-1500:]}"
        if "MemoryError" in self.said or "emory" in self.said.partition("\n")[0]:
            return f"out of memory: {self.said[:300]}"
        if self.seconds > SECONDS:
            return f"{self.verdict} after {self.seconds:.1f} s of CPU"
        if self.memory > MEGABYTES * 2**20:
            return f"{self.verdict} with {self.memory / 2**20:.0f} MiB"
        return ""


class Checker:
    """A checker in a process of its own, from which each check is forked.

    Parameters
    ----------
    program
        ``oas``, or the path of the stand-alone file.
    """

    def __init__(self, program: str) -> None:
        self.verb = ["verify"] if program == "oas" else []
        isolated = [] if program == "oas" else ["-I", "-S"]
        self._process = subprocess.Popen(
            [sys.executable, *isolated, str(SERVER), str(MEGABYTES), program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
            text=True,
        )

    def close(self) -> None:
        """End it."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def warm(self, files: Sequence[tuple[Path, Path]]) -> None:
        """Check these in the server itself, so that every check after that finds its code loaded and compiled."""
        for pair in files:
            answer = self._ask(pair, fork=False)
            if answer.verdict != "accepted":
                raise RuntimeError(f"{answer.verdict}, though nothing is wrong with it: {pair[1]}")

    def check(self, instance: Path, result: Path) -> Answer:
        """Return the answer for this pair of files."""
        return self._ask((instance, result), fork=True)

    def _ask(self, pair: tuple[Path, Path], *, fork: bool) -> Answer:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps([[*self.verb, *map(str, pair)], fork]) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the server has ended with exit code {self._process.wait()}")
        code, seconds, memory, out, errors = json.loads(line)
        verdict = VERDICTS.get(code, f"ended by {'exit code' if code >= 0 else 'signal'} {abs(code)}")
        return Answer(verdict, seconds, memory, out + errors)
