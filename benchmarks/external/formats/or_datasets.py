"""Strip packing as in Oscar Oliveira's OR-Datasets: JSON with one object and items, each with length, height, demand.

The strip is one cluster: what lies across it counts as processors, what lies along it as time. Which side of object and
items lies across the strip differs by set. Processors need not be neighbours in MOSP, as items must: the optimum of the
instance is at most the height of the strip.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from benchmarks.external.formats.packing import MOST_BYTES, Packing, check_count, packing
from oas.core.errors import InputError

_Side = Annotated[int, msgspec.Meta(ge=1, le=10**9)]


class _Object(msgspec.Struct):
    Length: _Side
    Height: _Side


class _Item(msgspec.Struct):
    Length: _Side
    Height: _Side
    Demand: Annotated[int, msgspec.Meta(ge=1, le=10**6)]


class _Document(msgspec.Struct):
    Objects: list[_Object]
    Items: list[_Item]


def read_lengthwise(content: bytes, file: str) -> Packing:
    """Read one instance in which `Length` lies across the strip.

    Raises
    ------
    InputError
        Naming the file and what is wrong.
    """
    document = _document(content, file)
    jobs = [(item.Height, item.Length) for item in document.Items for _ in range(item.Demand)]
    return packing(document.Objects[0].Length, jobs, file, "piece {}")


def read_heightwise(content: bytes, file: str) -> Packing:
    """Read one instance in which `Height` lies across the strip.

    Raises
    ------
    InputError
        Naming the file and what is wrong.
    """
    document = _document(content, file)
    jobs = [(item.Length, item.Height) for item in document.Items for _ in range(item.Demand)]
    return packing(document.Objects[0].Height, jobs, file, "piece {}")


def _document(content: bytes, file: str) -> _Document:
    if len(content) > MOST_BYTES:
        raise InputError(f"larger than {MOST_BYTES} bytes", file=file)
    try:
        document = msgspec.json.decode(content, type=_Document)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"not as OR-Datasets has it: {error}", file=file) from None
    if len(document.Objects) != 1:
        raise InputError("one object is needed, the strip", field="Objects", value=len(document.Objects), file=file)
    check_count(sum(item.Demand for item in document.Items), "number of items", file)
    return document
