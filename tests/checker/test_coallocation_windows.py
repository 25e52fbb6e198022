"""The bound *windows* of co-allocation: optima confirmed, and nothing above them, whatever is changed."""

import pytest

from oas.checker.effort import Effort
from oas.checker.reading import Refused
from oas.checker.windows_log import WindowsRules, WindowsWalk
from tests.bounds.coallocation.windows.logs import WITH_CONFLICTS, WITH_SETS, refuted, refuted_with_conflicts
from tests.checker.cases import are_refused, never_above, proven
from tests.slow import mostly_slow

NAME = "windows"
FEW = (WITH_CONFLICTS, WITH_SETS)


@pytest.mark.parametrize("seeds", mostly_slow([range(60), range(60, 600)], quick=[range(60)]), ids=str)
def test_what_a_search_has_refuted_is_confirmed(seeds):
    for instance, optimum, certificate in (*map(refuted, seeds), refuted_with_conflicts()):
        assert proven(NAME, instance, certificate) == instance.scaled().to_time(optimum)


@pytest.mark.parametrize("seed", mostly_slow([*FEW, *range(1, 30)], quick=FEW))
@pytest.mark.parametrize("more", [0, 1])
def test_changed_certificates(seed, more):
    """At the optimum none is accepted, whatever is changed but the makespan."""
    instance, optimum, certificate = refuted(seed)
    certificate = {**certificate, "makespan": certificate["makespan"] + more}
    refused, kept = never_above(NAME, instance, certificate, instance.scaled().to_time(optimum))
    assert refused > 200 and kept > 20


def test_malformed():
    instance, _, certificate = refuted_with_conflicts()
    assert certificate["conflicts"]
    jobs, levels = instance.scaled().job_count, len(instance.scaled().powers)
    pair = [[0, levels - 1], [1, levels - 1]]
    are_refused(
        NAME,
        instance,
        certificate,
        [
            ((), [], "certificate: must be an object"),
            (("version",), "1", "certificate.version: unknown value"),
            (("makespan",), 2**53, "certificate.makespan: must be at most"),
            (("mirrored",), None, "certificate.mirrored: must be an integer"),
            (("weights",), [{"jobs": [[1] * levels] * jobs, "whole": 1}], "jobs that can run together may weigh more"),
            (("weights",), [{"jobs": [[0] * levels] * jobs, "whole": 0}] * 51, "must have at most 50 entries"),
            (("apart",), [[[0, 0]]], r"certificate.apart\[0\]: must hold two or more jobs, each once"),
            (("apart",), [[[0, 0], [0, 1]]], r"certificate.apart\[0\]: must hold two or more jobs, each once"),
            (("apart",), [[[0, 0], [jobs, 0]]], r"certificate.apart\[0\]: must be at most"),
            (("apart",), [[[0, 0], [1, levels]]], r"certificate.apart\[0\]: must be at most"),
            (("apart",), [[[0, levels - 1], [5, levels - 1]]], r"certificate.apart\[0\]: these can run together"),
            (("conflicts", 0, "jobs"), pair[:1], r"conflicts\[0\].jobs: must hold two or more jobs"),
            (("conflicts", 0, "moments"), [[0, 0]], "must hold jobs of the conflict, each once"),
            (
                ("conflicts",),
                [{"jobs": pair, "moments": [[0], [1]]}],
                r"conflicts\[0\]: there are nodes for these jobs",
            ),
            (("log",), 3, "certificate.log"),
        ],
    )


@pytest.mark.parametrize(("pairs", "rows"), [([(0, 1)], 2), ([(0, 1), (0, 2)], 1)])
def test_a_conflict_separates_a_pair_only_if_it_is_the_only_open_one(pairs, rows):
    rules = WindowsRules(
        horizon=4,
        times=[[2]] * 3,
        windows=[{0: (0, 2)}] * 3,
        weightings=[],
        apart=[[0]] * 3,
        conflicts=[(dict.fromkeys(range(3), 0), pairs)],
    )
    walk = WindowsWalk(rules, bytes([6, 0, 3, 0, 1]), Effort())
    assert not walk.refutes()
    assert len(walk.rows) == rows


def test_a_log_that_takes_too_long_is_refused(monkeypatch):
    instance, _, certificate = refuted_with_conflicts()
    monkeypatch.setattr("oas.checker.coallocation_windows.WINDOWS_STEPS", 10_000)
    with pytest.raises(Refused, match="patience"):
        proven(NAME, instance, certificate)
    monkeypatch.setattr(Effort, "patience", 1_000)
    assert proven(NAME, instance, certificate)
