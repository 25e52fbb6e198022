"""The stand-alone checker as users run it: as one file, in a process of its own or, for many answers, in this one."""

from __future__ import annotations

import io
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from importlib.util import module_from_spec, spec_from_file_location
from typing import TYPE_CHECKING, NamedTuple

from oas.core.errors import InputError, VerificationError
from oas.io import dumps
from oas.io.checker_file import bundle
from oas.solving.recheck import recheck_result

if TYPE_CHECKING:
    from pathlib import Path


class Verdict(NamedTuple):
    """What the checker says: exit code, the lines of what holds, and of what does not."""

    code: int
    lines: list[str]
    errors: list[str]


class Checker:
    """The one file, written into a folder, and instance and answer files beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "check_certificate.py"
        self.path.write_text(bundle("0"), encoding="utf-8")
        spec = spec_from_file_location("check_certificate", self.path)
        assert spec and spec.loader
        self.module = module_from_spec(spec)
        sys.modules["check_certificate"] = self.module  # where dataclasses look up their annotations
        spec.loader.exec_module(self.module)

    def file(self, content, name: str) -> Path:
        """Write an instance, a schedule, a result or bytes to a file."""
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else dumps(content))
        return path

    def judge(self, instance, answer) -> Verdict:
        """Judge an answer in this process."""
        return self.main(self.file(instance, "instance.json"), self.file(answer, "answer.json"))

    def main(self, *arguments: object) -> Verdict:
        """Run it in this process, in its folder."""
        with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as errors, chdir(self.folder):
            code = self.module.main([str(one) for one in arguments])
        return Verdict(code, out.getvalue().splitlines(), errors.getvalue().splitlines())

    def run(self, *arguments: object, flags: tuple[str, ...] = ("-I", "-S"), data: bytes = b"") -> Verdict:
        """Run it in a process of its own, which finds no package beside the standard library."""
        command = [sys.executable, *flags, str(self.path), *map(str, arguments)]
        ended = subprocess.run(command, input=data, capture_output=True, cwd=self.folder, timeout=600)
        out, errors = ended.stdout.decode(), ended.stderr.decode()
        return Verdict(ended.returncode, out.splitlines(), errors.splitlines())


def verified(instance, result) -> list[str] | None:
    """Return the lines of `oas verify`, None if it refuses the result."""
    try:
        return recheck_result(instance, result)
    except (InputError, VerificationError):
        return None
