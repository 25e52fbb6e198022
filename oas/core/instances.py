"""The problems this toolkit knows, as one type."""

from __future__ import annotations

from oas.core.coallocation import CoallocationInstance
from oas.core.mosp import MospInstance

Instance = CoallocationInstance | MospInstance
