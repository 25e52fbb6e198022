"""Deliberate bugs in the measurements of MOSP's proof rates that would flatter them, with tests that must notice."""

from __future__ import annotations

from benchmarks.bugs.bug import Bug

PAGE = ("tests/benchmarks/proof_rates/mosp/test_report.py",)
ANSWERS = ("tests/benchmarks/proof_rates/coallocation/test_mismatch.py",)
MEASURED = ("tests/benchmarks/proof_rates/mosp/test_measure.py",)

ANSWER = "benchmarks/proof_rates/shared/answers.py"
FACTS = "benchmarks/proof_rates/shared/facts.py"
TARGETS = "benchmarks/proof_rates/shared/targets.py"
ROWS = "benchmarks/proof_rates/shared/rows.py"
WORDING = "benchmarks/proof_rates/shared/text.py"
MEASURE = "benchmarks/proof_rates/mosp/measure.py"
MOSP_ROWS = "benchmarks/proof_rates/mosp/rows.py"
MOSP_TARGETS = "benchmarks/proof_rates/mosp/targets.py"
LOCALITY = "benchmarks/proof_rates/mosp/locality.py"
RATIOS = "benchmarks/proof_rates/mosp/ratios.py"
REPORT = "benchmarks/proof_rates/mosp/report.py"
COMMAND = "benchmarks/proof_rates/mosp/__main__.py"

BUGS = (
    Bug("an error is a proof", ANSWER, " and self.termination != Termination.ERROR", "", ANSWERS),
    Bug(
        "a bound beyond the schedule is a proof",
        ANSWER,
        "and self.lower == self.upper",
        "and self.lower >= (self.upper or 0)",
        ANSWERS,
    ),
    Bug(
        "a gap is part of the schedule",
        ANSWER,
        "Fraction(self.upper, self.lower) - 1",
        "1 - Fraction(self.lower, self.upper)",
        PAGE,
    ),
    Bug("a tick is no mismatch", ANSWER, "and low.lower > high.upper", "and low.lower > high.upper + 1", ANSWERS),
    Bug(
        "CP-SAT alone can be wrong", ANSWER, '(("oas.solve", own), ("CP-SAT", rival))', '(("CP-SAT", rival),)', ANSWERS
    ),
    Bug(
        "only the search takes time",
        ANSWER,
        'seconds=result.seconds["total"],',
        'seconds=result.seconds.get("search", 0.0),',
        MEASURED,
    ),
    Bug(
        "what CP-SAT proves is not told",
        ANSWER,
        "(run.claim and run.claim.bound, evidence.bound and evidence.bound.value)",
        "(evidence.bound and evidence.bound.value,)",
        MEASURED,
    ),
    Bug(
        "no certificate is a confirmed one",
        FACTS,
        "certified is not None and recheck(",
        "certified is None or recheck(",
        MEASURED,
    ),
    Bug(
        "CP-SAT has the least time there is",
        MEASURE,
        "max(LEAST_RIVAL_SECONDS, own.answer.seconds)",
        "LEAST_RIVAL_SECONDS",
        MEASURED,
    ),
    Bug(
        "a bound that was not confirmed counts",
        MEASURE,
        'if bound and found["rechecked"] else None',
        "if bound else None",
        ("tests/benchmarks/proof_rates/mosp/test_command.py::test_a_wrong_optimum_is_reported_loudly",),
    ),
    Bug(
        "claims count as certificates in rows",
        ROWS,
        "self.own.proven and self.proof == ProofKind.CERTIFICATE",
        "self.own.proven and bool(self.bound)",
        PAGE,
    ),
    Bug(
        "the first row of an instance counts",
        ROWS,
        "{row.case: row for row in rows}",
        "{row.case: row for row in reversed(rows)}",
        ("tests/benchmarks/proof_rates/mosp/test_command.py::test_rows_of_another_source_are_made_again",),
    ),
    Bug(
        "a gap is certified by the bound",
        MOSP_ROWS,
        "Fraction(self.own.upper, self.confirmed) - 1",
        "self.own.gap",
        PAGE,
    ),
    Bug("LB is rounded down", MOSP_ROWS, "-(-self.paper_bound // 1) ==", "self.paper_bound // 1 ==", PAGE),
    Bug(
        "instances without a bound keep the target of ticks",
        TARGETS,
        "one is None or one > most for one",
        "one is not None and one > most for one",
        PAGE,
    ),
    Bug(
        "gaps that are not known are left out",
        TARGETS,
        "if known and len(known) == len(gaps) else None",
        "if known else None",
        PAGE,
    ),
    Bug(
        "gaps that are not confirmed keep the target",
        MOSP_TARGETS,
        "gap is None or gap > most",
        "gap is not None and gap > most",
        PAGE,
    ),
    Bug("a share just reached is missed", TARGETS, "share >= least", "share > least", PAGE),
    Bug("mismatches are met", TARGETS, "'**no**' if wrong else 'yes'", "'yes'", PAGE),
    Bug(
        "open instances are closed by nothing", WORDING, "for row in rows if row.own.proven)", "for row in rows)", PAGE
    ),
    Bug("the worst gap is that of those known", WORDING, "return None if None in gaps else max(", "return max(", PAGE),
    Bug(
        "pairs count if one is proven",
        LOCALITY,
        "(self.kept.own.proven and self",
        "(self.kept.own.proven or self",
        PAGE,
    ),
    Bug("a contradiction is between the worst", LOCALITY, "> min(makespans):", "> max(makespans):", PAGE),
    Bug(
        "ratios to the optimum take open instances",
        RATIOS,
        "row.own.upper) for row in rows if row.own.proven]",
        "row.own.upper) for row in rows]",
        PAGE,
    ),
    Bug(
        "an interval has one end",
        RATIOS,
        "most = [_to(row.heuristics[method], row.own.lower) for row in rows]",
        "most = [_to(row.heuristics[method], row.own.upper) for row in rows]",
        PAGE,
    ),
    Bug(
        "a figure printed stands beside the lower end",
        RATIOS,
        "most = join([_to(row.heuristics[method], row.own.lower)",
        "most = join([_to(row.heuristics[method], row.own.upper)",
        PAGE,
    ),
    Bug("a page forgets contradictions", REPORT, "if row.mismatch] + contradictions(rows)", "if row.mismatch]", PAGE),
    Bug(
        "a command forgets contradictions",
        COMMAND,
        "return mismatches(rows) + contradictions(rows)",
        "return mismatches(rows)",
        MEASURED,
    ),
)
