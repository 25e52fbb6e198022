"""The command ``python -m benchmarks.agreement.coallocation``."""

from __future__ import annotations

import sys

from benchmarks.agreement.coallocation.optima import main

if __name__ == "__main__":
    sys.exit(main())
