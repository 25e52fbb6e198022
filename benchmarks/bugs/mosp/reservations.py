"""Deliberate bugs in the methods, guarantees and worst cases of the reservations paper, with tests that must notice."""

from __future__ import annotations

from benchmarks.bugs.bug import Bug

QUEUES = ("tests/heuristics/mosp/test_queueing.py",)
BATCHES = ("tests/heuristics/mosp/test_batches.py",)
PROMISED = ("tests/heuristics/mosp/test_guarantees.py",)
ORDERS = ("tests/benchmarks/agreement/mosp/test_list_orders.py",)
GALLERY = ("tests/generate/test_worst_cases.py",)
RATIOS = ("tests/plots/test_list_ratios.py",)

LOOPS = "heuristics/mosp/capacity/kernels.py"
QUEUE = "heuristics/mosp/queueing.py"
ON_LINE = "heuristics/mosp/batches.py"
PROMISES = "heuristics/mosp/guarantees.py"
BOUNDS = "oas/problems/mosp/list_ratios.py"
WORST = "oas/generate/mosp/worst_cases"

BUGS = (
    # Methods
    Bug(
        "LSRC tests a window at its start only",
        LOOPS,
        "            if fits(moments, free, after, steps[k], now + times[job], widths[job]):",
        "            if free[steps[k]] >= widths[job]:",
        QUEUES,
    ),
    Bug(
        "a strict queue starts a job before one that precedes it",
        QUEUE,
        "ready = max(now, releases[job])",
        "ready = releases[job]",
        QUEUES,
    ),
    Bug("a strict queue forgets releases", QUEUE, "ready = max(now, releases[job])", "ready = now", QUEUES),
    Bug(
        "what is released during a batch joins it",
        ON_LINE,
        "if release <= now}",
        "if release <= now + max(job.time for job in instance.jobs)}",
        BATCHES,
    ),
    Bug(
        "what is released as a batch ends waits for the next",
        ON_LINE,
        "if release <= now}",
        "if release < now or release == min(waiting.values())}",
        BATCHES,
    ),
    Bug(
        "a batch forgets the reservation that it begins in",
        ON_LINE,
        "for one in reservations if one.end > now)",
        "for one in reservations if one.start >= now)",
        BATCHES,
    ),
    Bug(
        "a batch keeps the whole of a reservation that it begins in",
        ON_LINE,
        "one.end - now, one.processors)",
        "one.end - min(now, one.start), one.processors)",
        BATCHES,
    ),
    Bug(
        "a batch is in the order of the file",
        ON_LINE,
        ", key=lambda job: job.release)",
        ", key=lambda job: 0)",
        BATCHES,
    ),
    # Guarantees
    Bug(
        "m(C*) is taken at the lower bound",
        PROMISES,
        ".free_at(scaled.to_time(makespan))",
        ".free_at(scaled.to_time(sum(map(int.__mul__, scaled.times, scaled.widths)) // scaled.processors[0]))",
        PROMISED,
    ),
    Bug("m(C*) is taken at 0", PROMISES, ".free_at(scaled.to_time(makespan))", ".free_at(0)", PROMISED),
    Bug(
        "list schedules promise in spite of releases",
        PROMISES,
        "if not _one_cluster(instance) or any(instance.scaled().releases):",
        "if not _one_cluster(instance):",
        PROMISED,
    ),
    Bug("batches promise as one list", PROMISES, "Guarantee(2 * ratio.value", "Guarantee(ratio.value", PROMISED),
    Bug(
        "batches end before a reservation does",
        PROMISES,
        "_list_ratio(instance, _processors)",
        "_list_ratio(instance, _free_at_the_end)",
        PROMISED,
    ),
    Bug(
        "reservations that grow are non-increasing",
        PROMISES,
        "    if held.non_increasing:",
        "    if held.non_increasing or held.alpha is not None:",
        PROMISED,
    ),
    Bug(
        "back-filling in batches promises as lists do",
        ON_LINE,
        "batched_list if off_line.guarantee is one_cluster_list else None",
        "batched_list",
        PROMISED,
    ),
    # What theorems are held against
    Bug(
        "Lemma 1 is tried from one step too late",
        "benchmarks/agreement/mosp/list_orders.py",
        "bisect_right(moments, begin + longest) - 1",
        "bisect_right(moments, begin + longest)",
        ORDERS,
    ),
    # Worst cases and bounds
    Bug("N is one too few", BOUNDS, "(ceil(2 / alpha) - 1))) + 1", "(ceil(2 / alpha) - 1)))", RATIOS),
    Bug("B2 forgets that 2/α is rounded", BOUNDS, "whole = ceil(2 / alpha)", "whole = 2 / alpha", RATIOS),
    Bug(
        "the reservation of proposition 2 begins too early",
        f"{WORST}/reservations_proposition2.py",
        "Reservation(1, 1 + 2 * k,",
        "Reservation(Fraction(1, 2), 1 + 2 * k,",
        GALLERY,
    ),
    Bug(
        "a long job fits beside all short ones",
        f"{WORST}/reservations_alpha.py",
        "size < short * narrow + wide",
        "size <= short * narrow + wide",
        GALLERY,
    ),
    Bug(
        "3-PARTITION without a solution has one",
        f"{WORST}/reservations_theorem1.py",
        "[second[0] + 1, second[1] + 1, second[2] - 3]",
        "[second[0] + 1, second[1] + 1, second[2] - 2]",
        GALLERY,
    ),
    Bug(
        "the last job of a blocked queue is a wide one",
        f"{WORST}/blocked_queue.py",
        "for shape in (one, (brief, count))][:-1]",
        "for shape in (one, (brief, count))]",
        GALLERY,
    ),
)
