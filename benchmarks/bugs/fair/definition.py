"""Deliberate bugs in what defines fair sharing: instance, ticks, rules, utilities, runs, files."""

from __future__ import annotations

from benchmarks.bugs.bug import Bug

VERIFIER = ("tests/problems/test_rules.py", "tests/problems/fair/test_rules.py")
STREAMS = ("tests/problems/fair/test_rules.py",)
INSTANCES = ("tests/problems/fair/test_instance.py",)
ARRAYS = ("tests/problems/fair/test_instance.py",)
VALUES = ("tests/problems/fair/test_utilities.py",)
RUNS = ("tests/problems/fair/test_instance.py",)
FIGURES = ("tests/problems/fair/test_utilities.py",)
FILES = ("tests/io/test_fair_files.py",)
SPLITS = ("tests/problems/fair/test_instance.py",)

RULES_FILE = "oas/problems/fair/rules.py"
STREAM_RULES_FILE = "oas/problems/fair/stream_rules.py"
UTILITIES_FILE = "oas/problems/fair/utilities.py"
TICKS_FILE = "oas/problems/fair/ticks.py"

BUGS = (
    # The verifier
    Bug(
        "a job may start at the horizon",
        RULES_FILE,
        "if placement.start >= horizon:",
        "if placement.start > horizon:",
        VERIFIER,
    ),
    Bug(
        "a processor counts as idle while one of two jobs on it has ended",
        RULES_FILE,
        "idle += serving[node] > 0",
        "idle += change < 0",
        VERIFIER,
    ),
    Bug(
        "a head that fits exactly is not waiting",
        RULES_FILE,
        "head.processors <= idle and",
        "head.processors < idle and",
        VERIFIER,
    ),
    Bug(
        "only starts and ends are looked at, not releases",
        RULES_FILE,
        "in _idle(sizes, schedule, releases):",
        "in _idle(sizes, schedule, ()):",
        VERIFIER,
    ),
    Bug(
        "FIFO looks at the job before alone",
        RULES_FILE,
        "if latest is None or (until is not None and (start is None or start > until)):",
        "if True:",
        VERIFIER,
    ),
    Bug(
        "a job that never starts holds nobody up",
        RULES_FILE,
        "(until is None or start < until)",
        "until is not None and start < until",
        VERIFIER,
    ),
    # The verifier on arrays
    Bug(
        "the moment at which a job starts counts as waiting",
        STREAM_RULES_FILE,
        'last = np.searchsorted(moments, until[own], side="left") - 1',
        'last = np.searchsorted(moments, until[own], side="right") - 1',
        STREAMS,
    ),
    Bug(
        "a job counts as its organization's first from its release on",
        STREAM_RULES_FILE,
        "since = np.maximum(ticks.release[own], before)",
        "since = ticks.release[own]",
        STREAMS,
    ),
    Bug(
        "before the first start nothing is idle",
        STREAM_RULES_FILE,
        "idle = np.concatenate([[ticks.total], idle])",
        "idle = np.concatenate([[0], idle])",
        STREAMS,
    ),
    Bug(
        "the last block of a stretch is left out",
        STREAM_RULES_FILE,
        "table[size][last[here] - 2 ** int(size) + 1])",
        "table[size][first[here]])",
        STREAMS,
    ),
    # Utilities
    Bug(
        "a unit counts from its end",
        UTILITIES_FILE,
        "found: NDArray[Any] = number * (number + 1) // 2",
        "found: NDArray[Any] = number * (number - 1) // 2",
        VALUES,
    ),
    Bug(
        "ψ_sp beyond 64 bits wraps",
        UTILITIES_FILE,
        "return _summed(ticks, starts, values, moment, lambda now, width: now * (now + 1) * width)",
        "return _summed(ticks, starts, values, moment, lambda now, width: now * width)",
        VALUES,
    ),
    Bug(
        "sums of values that fit wrap",
        UTILITIES_FILE,
        "    if values.dtype == object:\n",
        "    if True:\n",
        VALUES,
    ),
    Bug(
        "jobs that still run have a flow time",
        UTILITIES_FILE,
        "over = (begins != NOT_STARTED) & (ends <= now)",
        "over = (begins != NOT_STARTED) & (begins <= now)",
        VALUES,
    ),
    Bug(
        "the curve forgets that jobs are wide when they end",
        UTILITIES_FILE,
        "weight = np.concatenate([ticks.width[own], -ticks.width[own]])",
        "weight = np.concatenate([ticks.width[own], -np.sign(ticks.width[own])])",
        VALUES,
    ),
    # Instance, ticks, runs, figures
    Bug(
        "an instance all of whose jobs come at the horizon is taken",
        "oas/problems/fair/instance.py",
        "if all(job.release >= self.horizon for job in self.jobs):",
        "if all(job.release > self.horizon for job in self.jobs):",
        INSTANCES,
    ),
    Bug(
        "the digest leaves releases out",
        "oas/problems/fair/instance.py",
        'parts += ["job", job.time, job.processors, job.release]',
        'parts += ["job", job.time, job.processors]',
        INSTANCES,
    ),
    Bug(
        "jobs of one moment are presented by place, not by organization",
        TICKS_FILE,
        "order = np.lexsort((owners, np.asarray(release)))",
        'order = np.argsort(np.asarray(release), kind="stable")',
        ARRAYS,
    ),
    Bug(
        "processors are handed out before those of ended jobs are given back",
        "oas/problems/fair/runs.py",
        "while busy and busy[0][0] <= begin:",
        "while busy and busy[0][0] < begin:",
        RUNS,
    ),
    Bug(
        "the distance is divided by the jobs, not by their work",
        "oas/problems/fair/metrics.py",
        "return Fraction(distance(utilities, reference), total)",
        "return Fraction(distance(utilities, reference), ticks.job_count)",
        FIGURES,
    ),
    Bug(
        "an organization may get no processor",
        "oas/problems/fair/splits.py",
        "if not sizes[k]:",
        "if sizes[k] < 0:",
        SPLITS,
    ),
    # Files
    Bug(
        "releases are not written",
        "oas/io/fair.py",
        "FairJobDocument(job.id, int(job.time), job.processors, int(job.release))",
        "FairJobDocument(job.id, int(job.time), job.processors)",
        FILES,
    ),
)
