"""Reading and writing of the file formats; apart from this package, only the stand-alone `oas.checker` reads them.

Four JSON formats, each versioned: ``oas-instance``, ``oas-schedule``, ``oas-result``, and ``oas-model``, the
description of an exported model. Files are untrusted: reading one gives a valid object, or an `InputError` that names
file, field and value, in bounded time and memory. ``"-"`` stands for standard input and output.
"""

from __future__ import annotations

from oas.io.documents import schema
from oas.io.reading import load, load_answer, load_result, load_schedule, loads, loads_any
from oas.io.writing import dumps, save

__all__ = ["dumps", "load", "load_answer", "load_result", "load_schedule", "loads", "loads_any", "save", "schema"]
