"""Deliberate bugs in the log of the complete search of co-allocation, with the tests that notice."""

from __future__ import annotations

from benchmarks.bugs.bug import Bug

LOGS = ("tests/bounds/coallocation/search_log/test_logs.py",)

KERNELS = "oas/exact/coallocation/chronological/kernels.py"
LOG = "oas/exact/coallocation/chronological/log.py"

BUGS = (
    Bug(
        "the log forgets what it has seen",
        LOG,
        "self._seen = np.union1d(self._seen, self.table.seen[:seen])",
        "pass",
        LOGS,
    ),
    Bug(
        "the log numbers moments from one",
        KERNELS,
        "                log.numbers[slot] = state[MOMENTS]\n            return -1\n        same",
        "                log.numbers[slot] = state[MOMENTS] + 1\n            return -1\n        same",
        LOGS,
    ),
    Bug(
        "the log leaves out what waste closes",
        KERNELS,
        "            write_code(log, code)\n            possible = code == OPEN",
        "            possible = code == OPEN",
        LOGS,
    ),
    Bug("the log names another job as late", KERNELS, "write_number(log, job)", "write_number(log, 0)", LOGS),
)
