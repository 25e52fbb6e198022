"""The command line: ``python check_certificate.py [--patience N] INSTANCE ANSWER``."""

from __future__ import annotations

import os
import re
import sys
from typing import Any

from oas.checker.answers import read_answer
from oas.checker.effort import Effort
from oas.checker.files import read_document
from oas.checker.reading import Refused, check_version, name_of, one_of, refused, texts_of
from oas.checker.recheck import CHECKED_PROBLEMS, CheckedInstance, check_answer

USAGE = """usage: check_certificate.py [--patience N] INSTANCE ANSWER

Check a schedule, or all that a result claims, in exact arithmetic: INSTANCE is a file of the format oas-instance,
ANSWER one of the format oas-schedule or oas-result, or - for standard input. Needs Python 3.11 and nothing else.

  --patience N  give up a certificate after N times as many steps as usual, which take some seconds
                (default: 1); 100 is some minutes

exit codes: 0 it holds, 2 a file cannot be read, 3 it does not hold"""
HOLDS, BAD_FILE, DOES_NOT_HOLD, INTERRUPTED = 0, 2, 3, 130


def main(arguments: list[str]) -> int:
    """Check the files that the arguments name, print the lines of `check_answer`, and return the exit code."""
    if arguments in (["-h"], ["--help"]):
        print(USAGE)
        return HOLDS
    if arguments[:1] == ["--patience"]:
        patience, arguments = "".join(arguments[1:2]), arguments[2:]
        if re.fullmatch("[1-9][0-9]{0,5}", patience) is None:
            return _say("--patience", "must be a whole number from 1 to 999999", BAD_FILE)
        Effort.patience = int(patience)
    if len(arguments) != 2 or arguments == ["-", "-"]:
        print(USAGE, file=sys.stderr)
        return BAD_FILE
    path, code = arguments[0], BAD_FILE
    try:
        instance = read_instance(read_document(path))
        path = arguments[1]
        answer = read_answer(read_document(path))
        code = DOES_NOT_HOLD
        lines = check_answer(instance, answer)
    except Refused as error:
        return _say(path, f"does not hold: {error}" if code == DOES_NOT_HOLD else str(error), code)
    except Exception as error:  # too little memory, for instance: an answer that cannot be checked is not confirmed
        return _say(path, f"cannot be checked: {type(error).__name__}: {error}", code)
    except KeyboardInterrupt:
        return _say(path, "interrupted", INTERRUPTED)
    return _print_lines(lines)


def read_instance(document: dict[str, Any]) -> CheckedInstance:
    """Return the instance that a document describes."""
    one_of(document.get("format"), "format", ("oas-instance",))
    check_version(document.get("version"), "version")
    texts_of(document.get("provenance", {}), "provenance")
    if document.get("name", "") != "":
        name_of(document["name"], "name")
    problem = document.get("problem")
    if problem == "fair":
        raise refused("problem", "schedules of fair sharing can only be checked by oas verify", problem)
    instance: CheckedInstance = CHECKED_PROBLEMS[one_of(problem, "problem", tuple(CHECKED_PROBLEMS))].read(document)
    return instance


def _say(path: str, message: str, code: int) -> int:
    """Print one line on standard error."""
    print(_printable(f"{path}: {message}", sys.stderr.encoding), file=sys.stderr)
    return code


def _print_lines(lines: list[str]) -> int:
    """Print lines on standard output; ignore a closed pipe."""
    try:
        for line in lines:
            print(_printable(line, sys.stdout.encoding))
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return HOLDS


def _printable(line: str, encoding: str | None) -> str:
    """Return a line without control characters of untrusted files, which could affect a terminal."""
    printable = "".join(character if character.isprintable() else "\ufffd" for character in line)
    return printable.encode(encoding or "ascii", "backslashreplace").decode(encoding or "ascii")
