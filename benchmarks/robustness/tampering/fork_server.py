"""Calls a checker again and again, each time in a process of its own with limits: ``fork_server.py MEGABYTES PROGRAM``.

PROGRAM is ``oas``, or the path of a Python file whose function `main` takes the arguments. Reads lines
``[arguments, fork]`` in JSON from its input, and answers each with a line: exit code or minus the signal, seconds of
CPU, most resident bytes, standard output, standard error. Without `fork` the call is made here, so that what is loaded
once is loaded. Standard library only, so that it adds nothing to what the program itself takes.
"""

import gc
import io
import json
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from typing import IO, NoReturn

CPU_SECONDS = 30  # after which a check is ended
WALL_SECONDS = 240  # on a busy machine
TEXT = 4000  # of what is written, at the beginning and at the end


def program_of(name: str) -> Callable[[], None]:
    """Return what is called with arguments, and raises SystemExit."""
    if name == "oas":
        import typer

        from oas.cli import main

        main.app = typer.main.get_command(main.app)  # type: ignore[assignment] # what reads arguments is made once
        return main.run
    sys.dont_write_bytecode = True
    spec = spec_from_file_location("checker", name)
    assert spec is not None and spec.loader is not None
    module = sys.modules["checker"] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return lambda: sys.exit(module.main(sys.argv[1:]))


def call(program: Callable[[], None], name: str, arguments: list[str]) -> int:
    """Return the exit code of a call in this process."""
    sys.argv = [name, *arguments]
    try:
        program()
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def memory() -> tuple[int, int]:
    """Return this process's sizes: address space, and what is resident."""
    with open("/proc/self/statm") as file:
        pages = file.read().split()
    return int(pages[0]) * resource.getpagesize(), int(pages[1]) * resource.getpagesize()


def child(
    program: Callable[[], None], name: str, arguments: list[str], files: tuple[IO[bytes], IO[bytes]], most: int
) -> NoReturn:
    """Make the call under the limits, and end."""
    os.setsid()
    for number, file in zip((1, 2), files, strict=True):
        os.dup2(file.fileno(), number)
    sys.stdout, sys.stderr = (io.TextIOWrapper(os.fdopen(number, "wb"), "utf-8", "replace") for number in (1, 2))
    space, resident = memory()
    limit = space - resident + most
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 5))
    code = call(program, name, arguments)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def forked(program: Callable[[], None], name: str, arguments: list[str], most: int) -> list[int | float | str]:
    """Make the call in a process of its own; return the answer."""
    gc.freeze()  # so that its collector leaves alone, and copies not, what was there before
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        pid = os.fork()
        if pid == 0:
            try:
                child(program, name, arguments, (out, errors), most)
            finally:
                os._exit(99)
        end = time.monotonic() + WALL_SECONDS
        wait = 0.0005
        while True:
            done, status, usage = os.wait4(pid, os.WNOHANG)
            if done:
                break
            if time.monotonic() > end:
                os.killpg(pid, signal.SIGKILL)
            time.sleep(wait)
            wait = min(0.02, wait * 1.5)
        texts = []
        for file in (out, errors):
            file.seek(0)
            text = file.read().decode("utf-8", "replace")
            texts.append(text if len(text) <= 2 * TEXT else text[:TEXT] + " … " + text[-TEXT:])
    code = os.waitstatus_to_exitcode(status)
    return [code, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, *texts]


def main() -> None:
    """Serve until the input ends."""
    most, name = int(sys.argv[1]) * 2**20, sys.argv[2]
    answers = os.fdopen(os.dup(1), "w")
    requests = os.fdopen(os.dup(0))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    program = program_of(name)
    for line in requests:
        arguments, fork = json.loads(line)
        here = [] if fork else [call(program, name, arguments), 0.0, 0, "", ""]
        answers.write(json.dumps(here or forked(program, name, arguments, most)) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
