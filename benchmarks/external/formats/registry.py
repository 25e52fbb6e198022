"""The formats by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.external.formats import bpplib, or_datasets, pcmax

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from benchmarks.external.formats.packing import Packing

FORMATS: Mapping[str, Callable[[bytes, str], Packing]] = {
    "bpplib": bpplib.read,
    "pcmax": pcmax.read,
    "or-datasets": or_datasets.read_lengthwise,
    "or-datasets-heightwise": or_datasets.read_heightwise,
}
