"""The loops of `oas.bounds.coallocation.search_log.replay`, compiled."""

from __future__ import annotations

from oas.bounds.coallocation.search_log import replay
from oas.core.compiling import compiled_names

globals().update(compiled_names(globals(), replay, entries=("walk",)))
