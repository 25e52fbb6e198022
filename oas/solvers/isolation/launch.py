"""Become another program that dies with the process that asked for it: ``python -I -S launch.py PARENT PROGRAM …``.

On Linux the kernel is asked to kill this process when its parent ends (the request survives exec); elsewhere the
program is only executed. It runs by path, so it imports no module of this package.
"""

import os
import sys


def die_with(parent: int) -> None:
    """Have this process killed when the thread ends that started it, or its whole process; `parent` is its number."""
    if sys.platform == "linux":
        import ctypes
        import signal

        pr_set_pdeathsig = 1
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # it ended before we asked
            sys.exit(1)


def main() -> None:
    """Arrange for death with the parent, then exec."""
    parent, command = int(sys.argv[1]), sys.argv[2:]
    die_with(parent)
    try:
        os.execv(command[0], command)
    except OSError as error:
        print(f"cannot execute {command[0]}: {error}", file=sys.stderr)
        sys.exit(127)


if __name__ == "__main__":
    main()
