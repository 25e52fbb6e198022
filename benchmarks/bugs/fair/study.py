"""Deliberate bugs in the study of fairness and in what `oas fair` makes of it, with the tests that must notice."""

from __future__ import annotations

from benchmarks.bugs.bug import Bug

SHARED = ("tests/io/test_sharing.py",)
STUDIED = ("tests/studies/fair/test_fairness.py",)
COUNTED = ("tests/studies/fair/test_figures.py",)
SPREAD = ("tests/studies/fair/test_figures.py",)
DRAWN = ("tests/plots/test_ledger_chart.py",)
TYPED = ("tests/cli/test_fair.py",)

SHARING = "oas/io/logs/sharing.py"
FAIRNESS = "oas/studies/fair/fairness.py"
FIGURES = "oas/studies/fair/figures.py"
RUNNING = "oas/studies/fair/running.py"
LEDGER = "oas/studies/fair/ledger.py"
INTERVAL = "oas/studies/fair/interval.py"
CHART = "oas/plots/fair/ledger_chart.py"
COMMAND = "oas/cli/commands/fair.py"

BUGS = (
    # A log shared out
    Bug(
        "a wide job runs once instead of as copies",
        SHARING,
        "    copies = np.where(whole, 1, processors)",
        "    copies = np.ones_like(processors)",
        SHARED,
    ),
    Bug(
        "users are dealt in the order of their numbers, not by lot",
        SHARING,
        "    Random(seed).shuffle(known)\n",
        "",
        SHARED,
    ),
    Bug(
        "a window holds what is submitted at its end",
        SHARING,
        "(stream.submit < window.until)",
        "(stream.submit <= window.until)",
        SHARED,
    ),
    # Distances and figures
    Bug(
        "what one gets too much makes up for what another gets too little",
        FAIRNESS,
        "Fraction(sum(abs(one - other) for one, other in pairs), work)",
        "Fraction(abs(sum(one - other for one, other in pairs)), work)",
        STUDIED,
    ),
    Bug(
        "the work divided by is that of the policy, not of REF",
        FAIRNESS,
        "Fraction(sum(abs(one - other) for one, other in pairs), work)",
        "Fraction(sum(abs(one - other) for one, other in pairs), sum(trial.figures.work))",
        STUDIED,
    ),
    Bug(
        "jobs that are released at the horizon or later count among those that wait",
        FIGURES,
        "    come = ticks.release < ticks.horizon\n    count = ",
        "    come = ticks.release <= ticks.horizon\n    count = ",
        COUNTED,
    ),
    Bug(
        "Jain's index is of the work, whatever an organization owns",
        FIGURES,
        "Fraction(work[one], int(ticks.machines[one]))",
        "Fraction(work[one])",
        COUNTED,
    ),
    Bug(
        "the interval is that of a normal distribution, however small the sample",
        INTERVAL,
        "student_quantile(count - 1, confidence)",
        "student_quantile(10**6, confidence)",
        SPREAD,
    ),
    # Runs
    Bug(
        "a schedule that breaks rules counts all the same",
        RUNNING,
        "        if violations:\n",
        "        if False:\n",
        STUDIED,
    ),
    Bug(
        "two runs that agree by chance are taken for a policy without lots",
        RUNNING,
        "len(found) == AGREEING and _agree(found)",
        "len(found) == 1",
        STUDIED,
    ),
    # The ledger, and the command
    Bug(
        "the ledger has what organizations got above what they contributed",
        LEDGER,
        "((due - got) / Fraction(fairness.work))",
        "((got - due) / Fraction(fairness.work))",
        STUDIED,
    ),
    Bug(
        "names of lines that end side by side hide one another",
        CHART,
        "            groups[-1] += last\n",
        "            groups.append(last)\n            break\n",
        DRAWN,
    ),
    Bug(
        "a policy of one's own that fails ends well",
        COMMAND,
        "return ExitCode.VIOLATION if fairness.violated else ExitCode.DONE",
        "return ExitCode.DONE",
        TYPED,
    ),
)
