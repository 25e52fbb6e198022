"""Deliberate bugs in pictures and in what they are drawn from, with the tests that have to notice."""

from __future__ import annotations

from benchmarks.bugs.bug import Bug

TRACED = ("tests/core/test_result.py",)
PLOTTED = ("tests/show/test_notebook.py",)
LABELLED = ("tests/plots/test_gantt.py",)
COMPARED = ("tests/plots/test_gantt.py",)
APPRAISED = ("tests/studies/test_appraisal.py",)

BUGS = (
    Bug(
        "a trace mixes in the solve without locality",
        "oas/studies/comparison.py",
        "replace(seen, stage=part, part=part)",
        "replace(seen, stage=part)",
        TRACED,
    ),
    Bug(
        "a trace keeps what a new solve left behind",
        "oas/core/trace.py",
        "self._points.clear()",
        "pass",
        TRACED,
    ),
    Bug(
        "a bound is drawn on an instance that it is not of",
        "oas/show/pictures.py",
        "if instance.digest != result.instance_digest:",
        "if False:",
        PLOTTED,
    ),
    Bug(
        "a notebook shows a result without its instance",
        "oas/show/notebook.py",
        "inline_gantt(result.instance,",
        "inline_gantt(None,",
        PLOTTED,
    ),
    Bug(
        "many labels are fitted one by one",
        "oas/plots/labels.py",
        "if len(self._labels) <= MOST_APART:",
        "if True:",
        LABELLED,
    ),
    Bug("a crop cuts the last node that is used", "oas/plots/lanes.py", "last[name] + 1)", "last[name])", COMPARED),
    Bug(
        "the job that costs most is the one that starts latest",
        "oas/studies/window_appraisal.py",
        "if one.end == last)",
        "if one.end >= before)",
        APPRAISED,
    ),
)
