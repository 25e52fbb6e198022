"""Launcher of a program that ends with its parent process: ``python -I -S launch.py PARENT PROGRAM …``.

On Linux the kernel kills this process when its parent ends, also after exec; elsewhere the program is just executed.
The file is run by its path, so it must not import this package.
"""

import os
import sys


def die_with(parent: int) -> None:
    """Let the kernel kill this process when the thread that started it or process `parent` (its id) ends."""
    if sys.platform == "linux":
        import ctypes
        import signal

        pr_set_pdeathsig = 1
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # the parent ended before the call of prctl
            sys.exit(1)


def main() -> None:
    """Tie this process to its parent and execute the program."""
    parent, command = int(sys.argv[1]), sys.argv[2:]
    die_with(parent)
    try:
        os.execv(command[0], command)
    except OSError as error:
        print(f"cannot execute {command[0]}: {error}", file=sys.stderr)
        sys.exit(127)


if __name__ == "__main__":
    main()
