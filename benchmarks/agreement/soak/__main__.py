"""The command ``python -m benchmarks.agreement.soak``."""

from __future__ import annotations

import sys

from benchmarks.agreement.soak.command import main

if __name__ == "__main__":
    sys.exit(main())
