"""The command ``python -m benchmarks.agreement.mosp``."""

from __future__ import annotations

import sys

from benchmarks.agreement.mosp.optima import main

if __name__ == "__main__":
    sys.exit(main())
