"""Deliberate bugs in REF, RAND and REF's certificate, with the tests that have to notice."""

from __future__ import annotations

from benchmarks.bugs.bug import Bug

KERNELS = "heuristics/fair/coalitions/kernels.py"
ENDS = "heuristics/fair/coalitions/ends_kernels.py"
RUNNING = "heuristics/fair/coalitions/running.py"
REF = "heuristics/fair/ref.py"
RAND = "heuristics/fair/rand.py"
CERTIFICATE = "heuristics/fair/certificate.py"
SECOND = "heuristics/fair/second/kernels.py"

TESTS = "tests/heuristics/fair"
STEPPED = (f"{TESTS}/test_ref.py::test_it_is_algorithm_1",)
CHUNKS = (f"{TESTS}/test_ref.py::test_chunks_do_not_matter",)
LEADS = (f"{TESTS}/test_ref.py::test_an_old_contribution_tells_who_leads_by_more_than_its_error",)
GAPS = (f"{TESTS}/test_ref.py::test_cut_gaps_keep_order_and_what_is_near",)
LARGE = (f"{TESTS}/test_ref.py::TestLargeNumbers",)
REFUSED = (f"{TESTS}/test_ref.py::TestRefused",)
NOTED = (f"{TESTS}/test_ref.py::test_decisions_are_noted_now_and_then",)
SAMPLED = (f"{TESTS}/test_rand.py::test_it_is_algorithm_3",)
UNIT = (f"{TESTS}/test_rand.py::test_with_unit_jobs_and_all_orderings_it_is_the_reference",)
CHECKED = (f"{TESTS}/test_ref_certificate.py",)

BUGS = (
    # Values and decisions
    Bug(
        "a processor counts from a moment later on",
        KERNELS,
        "own[CONSTANT + u] -= weight * (x * x - x)",
        "own[CONSTANT + u] -= weight * (x * x + x)",
        STEPPED,
    ),
    Bug(
        "φ − ψ are compared at the moment of the start",
        KERNELS,
        "u = leader(own, bits, fits, x + 1, spread)",
        "u = leader(own, bits, fits, x, spread)",
        CHUNKS,
    ),
    Bug(
        "ties go to the last organization",
        KERNELS,
        "        elif score > top:\n            best, top, second = u, score, top\n",
        "        elif score >= top:\n            best, top, second = u, score, top\n",
        LEADS,
    ),
    Bug("an old φ is believed too far", KERNELS, "game.clock[SPREAD] = 2 * widest", "game.clock[SPREAD] = 0", CHUNKS),
    Bug(
        "the most processors that are busy are those at the end",
        KERNELS,
        "most = max(most, machines - idle)",
        "most = machines - idle",
        CHUNKS,
    ),
    Bug(
        "all sets that count alike hold equally many",
        KERNELS,
        "game.weight[others, size + size_of(game.count, more)]",
        "game.weight[others, size]",
        CHUNKS,
    ),
    Bug(
        "a member's part is what the others gain without it",
        KERNELS,
        "+ gain - rows[rest, GAIN]",
        "+ rows[rest, GAIN]",
        STEPPED,
    ),
    Bug(
        "what the lower part of φ − ψ cannot hold is lost",
        KERNELS,
        "members[row, u, HIGH] += low >> SHIFT",
        "members[row, u, HIGH] += 0",
        STEPPED,
    ),
    Bug("gaps are closed instead of cut", KERNELS, "            gap = cut\n", "            gap = 0\n", GAPS),
    Bug(
        "a wide job starts on too few processors",
        KERNELS,
        "if width[own[HEAD + lowest(bits, left)]] > idle:",
        "if width[own[HEAD + lowest(bits, left)]] > idle + 1:",
        STEPPED,
    ),
    Bug(
        "of three jobs that end together one goes on",
        ENDS,
        "(size < 3 or ends[base + 2] > moment)",
        "True",
        STEPPED,
    ),
    # Bounds
    Bug("v may pass 64 bits", RUNNING, "values < LARGEST and", "values < 4 * LARGEST and", LARGE),
    Bug(
        "memory that is asked for later is not counted",
        RUNNING,
        "        self._room(2 * entries)\n",
        "",
        REFUSED,
    ),
    Bug("the margin's higher part is lost", REF, "(high << SHIFT) + low", "low", LARGE + STEPPED),
    Bug("every decision is noted in few rows", REF, "max(1, ticks.job_count // DECISIONS)", "1 + DECISIONS", NOTED),
    # RAND
    Bug(
        "an ordering that is drawn twice counts once",
        RAND,
        "adds.setdefault(before, [0] * k)[u] += 1",
        "adds.setdefault(before, [0] * k)[u] = 1",
        SAMPLED,
    ),
    Bug(
        "coalitions start the job presented last",
        KERNELS,
        "line[own[HEAD + u]] < line[own[HEAD + best]]",
        "line[own[HEAD + u]] > line[own[HEAD + best]]",
        SAMPLED,
    ),
    Bug("who comes first adds nothing", RAND, "            before |= 1 << u\n", "            before |= 2 << u\n", UNIT),
    # The certificate
    Bug(
        "values are compared with themselves",
        CERTIFICATE,
        "certificate.values, found.values",
        "found.values, found.values",
        CHECKED,
    ),
    Bug(
        "the second algorithm weighs sets by what contains them",
        SECOND,
        "all_.weight[all_.size[above], all_.size[coalition]]",
        "all_.weight[all_.size[above], all_.size[above]]",
        CHECKED,
    ),
    Bug(
        "a stored certificate is believed",
        CERTIFICATE,
        "    if wrong:\n        raise",
        "    if False:\n        raise",
        CHECKED,
    ),
)
