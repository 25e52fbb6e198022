"""Deliberate bugs in what is read of job logs and in what tables show of it, with the tests that have to notice."""

from __future__ import annotations

from benchmarks.bugs.bug import Bug

READ = ("tests/io/test_swf.py",)
CHOSEN = ("tests/io/test_windows.py",)
SHOWN = ("tests/cli/test_tables.py",)

SWF = "oas/io/logs/swf.py"
LINES = "oas/io/logs/lines.py"
WINDOWS = "oas/io/logs/windows.py"
TABLE = "oas/cli/tables/fitted_table.py"

BUGS = (
    Bug("a strict reader takes any status", SWF, "if self._strict and job.has_undefined_status:", "if False:", READ),
    Bug(
        "a status beyond the defined ones is not counted",
        SWF,
        "self.status not in STATUSES",
        "self.status < 0",
        READ,
    ),
    Bug(
        "a byte-order mark is part of the first line",
        LINES,
        "MARK if number == 1 else",
        'b"" if number == 1 else',
        READ,
    ),
    Bug("the load is of the submissions alone", WINDOWS, "max(submit + time for", "max(submit for", CHOSEN),
    Bug(
        "busy windows overlap",
        WINDOWS,
        "places.start >= chosen[-1].stop",
        "places.start > chosen[-1].start",
        CHOSEN,
    ),
    Bug(
        "the most important column goes first",
        TABLE,
        "in self.side if one in kept",
        "in self.side[::-1] if one in kept",
        SHOWN,
    ),
    Bug("what is left out is not said", TABLE, "        if left_out:\n", "        if False:\n", SHOWN),
)
