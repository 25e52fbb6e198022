"""Takes long to import and, interrupted, fails as a compiled module does; for the worker alone."""

import time

try:
    time.sleep(600)
except KeyboardInterrupt:
    raise ImportError("initialization failed") from None
