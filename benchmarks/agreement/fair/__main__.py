"""The command ``python -m benchmarks.agreement.fair``."""

from __future__ import annotations

import sys

from benchmarks.agreement.fair.price import main

if __name__ == "__main__":
    sys.exit(main())
