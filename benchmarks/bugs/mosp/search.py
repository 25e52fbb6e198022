"""Deliberate bugs in the exact search of MOSP and in the storage of its results, with the tests that have to notice.

The local search is left out: its tests check it by the verifier, whose bugs are in `benchmarks.bugs.mosp.definition`.
"""

from __future__ import annotations

from benchmarks.bugs.bug import Bug

CLOSES = ("tests/exact/mosp/test_search.py",)
BELIEVES = ("tests/exact/test_evidence.py",)
RECHECKS = ("tests/exact/mosp/test_search.py",)
LIBRARY = ("tests/library/test_update.py",)
DAMAGE = ("tests/library/test_damage.py",)
ORDERS = ("tests/library/test_packaged.py",)

CLOSING = "oas/exact/mosp/search.py"
LOCAL = "oas/exact/mosp/stages/local.py"
BOUNDS = "oas/exact/mosp/stages/bounds.py"
DECISIONS = "oas/exact/mosp/stages/bounds.py"
BASE = "oas/exact/search.py"
DECISION = "oas/exact/decision.py"
EVIDENCE = "oas/exact/evidence.py"
STORE = "oas/library/store.py"
MERGING = "oas/library/merging.py"
CHECKING = "oas/library/checking.py"
KEPT_ORDERS = "oas/library/orders.py"
PACKED = "oas/io/packed.py"
UNPACKING = "oas/io/unpacking.py"

BUGS = (
    # What a solve of MOSP believes
    Bug(
        "a no of CP-SAT counts for two units",
        BASE,
        "bound = (ticks + question.unit) * self.tick",
        "bound = (ticks + 2 * question.unit) * self.tick",
        CLOSES,
    ),
    Bug(
        "a no to part of a unit counts for the whole",
        BASE,
        "ticks = -(-max(self.lower, self._claimed) // question.unit) * question.unit",
        "ticks = max(self.lower, self._claimed)",
        CLOSES,
    ),
    Bug("no answer counts as a no", BASE, "if not found.refuted:", "if found.runs is not None:", CLOSES),
    Bug(
        "a no of CP-SAT counts as a certificate",
        BASE,
        "claims.append(Claim(CPSAT, found.version, question.formulation.name, bound))",
        "self.evidence.bound = type(self.evidence.bound)(question.formulation.name, bound, {})",
        CLOSES,
    ),
    Bug(
        "Ctrl-C does not end the questions",
        BASE,
        "        self.raise_if_interrupted(found.termination)\n        return self._take(",
        "        return self._take(",
        CLOSES,
    ),
    Bug(
        "a search that breaks rules goes on",
        BASE,
        "        if violation:\n            raise SolverError(f",
        "        if False:\n            raise SolverError(f",
        CLOSES,
    ),
    Bug(
        "Ctrl-C does not end the bounds",
        CLOSING,
        "            self.raise_bound(found.bound)\n        self.raise_if_interrupted(found.termination)\n",
        "            self.raise_bound(found.bound)\n",
        CLOSES,
    ),
    Bug("what is refuted is thrown away", CLOSING, "if found.bound is not None:", "if found.bound is None:", CLOSES),
    Bug(
        "weights of configurations are not handed on",
        BOUNDS,
        "    search.heights = found.weights\n",
        "",
        CLOSES,
    ),
    Bug(
        "what the search finds is kept to itself",
        LOCAL,
        "if self._ruin.makespan < search",
        "if False and search",
        CLOSES,
    ),
    Bug("what CP-SAT has settled is searched for", LOCAL, "and not search.settled and", "and", CLOSES),
    Bug("claims withheld are lost", BASE, "self.evidence.claims += self._withheld", "pass", CLOSES),
    Bug(
        "a claim withheld counts at once",
        BASE,
        "self._withheld if withhold else",
        "self._withheld if False else",
        CLOSES,
    ),
    Bug(
        "a unit is two",
        DECISIONS,
        "Question(CUMULATIVE, unit, OPTIONS",
        "Question(CUMULATIVE, 2 * unit, OPTIONS",
        CLOSES,
    ),
    Bug("a tick more is asked for", DECISION, "_no_start, instance, ticks,", "_no_start, instance, ticks + 1,", CLOSES),
    Bug("a tick less is asked for", DECISION, "_no_start, instance, ticks,", "_no_start, instance, ticks - 1,", CLOSES),
    Bug("no schedule is a no", DECISION, "Decision(outcome.infeasible,", "Decision(outcome.values is None,", CLOSES),
    Bug("a schedule that breaks rules is kept", EVIDENCE, "        if violations:\n", "        if False:\n", BELIEVES),
    Bug(
        "an instance of MOSP may have no schedule",
        "oas/exact/mosp/parts.py",
        "lambda _: [],\n        cluster_runs",
        'lambda _: ["J1"],\n        cluster_runs',
        RECHECKS,
    ),
    # The library
    Bug(
        "a library takes what is said of an optimum",
        STORE,
        "            recheck_result(instance, result)\n            if result.status",
        "            if result.status",
        LIBRARY,
    ),
    Bug("what a library holds is believed", STORE, "if held is not None:", "if repair and held:", DAMAGE),
    Bug(
        "a solver's word is accepted unasked",
        STORE,
        "result if accept_claims else without_claims(result)",
        "result",
        LIBRARY,
    ),
    Bug("what adds nothing is taken", STORE, "if not merger.gains:", "if False:", LIBRARY),
    Bug("an index need not know its file", STORE, "hexdigest() != entry.result:", 'hexdigest() == "":', DAMAGE),
    Bug("the longer schedule is kept", MERGING, "schedule = min(schedules", "schedule = max(schedules", LIBRARY),
    Bug(
        "a claim that is met is refuted",
        MERGING,
        "claim.bound > schedule.makespan",
        "claim.bound >= schedule.makespan",
        LIBRARY,
    ),
    Bug("a claim that is refuted stays", MERGING, "if claim not in refuted]", "if claim]", LIBRARY),
    Bug(
        "a lower bound is a gain",
        MERGING,
        "one is not None and one > other",
        "one is not None and one != other",
        LIBRARY,
    ),
    Bug(
        "the same proof again is a gain",
        MERGING,
        "_rank(merged) > _rank(held)",
        "_rank(merged) >= _rank(held)",
        LIBRARY,
    ),
    Bug(
        "bounds on a solver's word are confirmed",
        CHECKING,
        "len(sound) - of(ProofKind.SOLVER, sound)",
        "len(sound)",
        LIBRARY,
    ),
    Bug(
        "what was not checked is verified",
        CHECKING,
        "if not one.fault and not one.unchecked]",
        "if not one.fault and one.entry.records]",
        LIBRARY,
    ),
    Bug(
        "the index may state any bound",
        CHECKING,
        '    _same("lower_bound", known.lower_bound, result.lower_bound)\n',
        "",
        DAMAGE,
    ),
    Bug("an order forgets releases", KEPT_ORDERS, "[cluster], scaled.releases[job],", "[cluster], 0,", ORDERS),
    Bug(
        "an order forgets reservations",
        KEPT_ORDERS,
        "+ len(scaled.reservations), scaled.reservations\n",
        "+ len(scaled.reservations), ()\n",
        ORDERS,
    ),
    Bug("a packed file knows the time", PACKED, ", 9, mtime=0)", ", 9)", DAMAGE),
    Bug(
        "a file cut off is whole",
        UNPACKING,
        "opened(data).read(limit + 1)",
        "zlib.decompressobj(31).decompress(data, limit + 1) if data.startswith(GZIP) else data",
        DAMAGE,
    ),
    Bug(
        "a bomb is unpacked to its last byte",
        UNPACKING,
        "opened(data).read(limit + 1)",
        "opened(data).read()[: limit + 1]",
        DAMAGE,
    ),
)
