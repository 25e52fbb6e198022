"""Takes long to import and, interrupted, fails as a compiled module does; for the worker alone."""

from __future__ import annotations

import time

try:
    time.sleep(60)
except KeyboardInterrupt:
    raise ImportError("initialization failed") from None
