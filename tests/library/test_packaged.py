"""The packaged library: every entry verified without a solver; the set declared; frames; orders of slices."""

import subprocess
import sys

import pytest

import oas
import oas.library
from benchmarks.library_edition import EDITION, TRACES, declared
from benchmarks.library_update import order_of
from oas.core.errors import InputError
from oas.generate import uni
from oas.library import Library, check_entries, counted
from oas.library.origins import schedule_of
from oas.mosp.generate.tiny import random_instance
from oas.mosp.generate.worst_cases import WORST_CASES, Quantity
from oas.mosp.runs import schedule_from_cluster_runs
from tests.mosp.instances import random_cluster_runs
from tests.slow import every_fourth_quick, mostly_slow

LIBRARY = Library()


def bare(entry):
    return (entry.name, entry.problem, entry.group, entry.about, entry.origin, entry.digest, entry.jobs, entry.clusters)


@pytest.mark.slow
def test_the_edition_is_the_one_declared():
    assert LIBRARY.index.edition == EDITION
    assert [bare(one) for one in LIBRARY.entries if one.group != TRACES] == [bare(one) for one in declared()]


GROUPS = sorted({entry.group for entry in LIBRARY.entries} - {TRACES})


@pytest.mark.parametrize("group", mostly_slow(GROUPS, quick=set(GROUPS) - {"MOSP section 7.2", "OAS section 4"}))
def test_every_entry_holds(group):
    entries = [entry for entry in LIBRARY.entries if entry.group == group]
    checked = list(check_entries(LIBRARY, entries))
    assert [(one.entry.name, one.fault, one.unchecked) for one in checked if one.fault or one.unchecked] == []
    assert counted(checked)["schedules verified"] == len(entries)


def test_slices_of_logs_hold_as_far_as_they_can_be_checked_without_the_logs():
    entries = [entry for entry in LIBRARY.entries if entry.group == TRACES]
    counts = counted(check_entries(LIBRARY, entries))
    assert (counts["entries"], counts["not checked"], counts["faults"]) == (len(entries), len(entries), 0)
    for entry in entries:
        stored = LIBRARY.stored(entry)
        assert stored.schedule is None  # its times are the log's data
        assert stored.lower_bound == entry.records[-1].lower_bound
        assert sum(map(len, entry.order.values())) == entry.jobs


def test_worst_cases_agree_with_what_is_true_of_them():
    compared = 0
    for entry in LIBRARY.entries:
        if entry.origin.worst_case is None:
            continue
        about = Quantity.FREE_OPTIMUM if entry.origin.locality == "none" else Quantity.OPTIMUM
        for claim in WORST_CASES[entry.origin.worst_case].claims(**entry.origin.parameters):
            if claim.about is about:
                known = entry.records[-1]
                assert known.lower_bound <= claim.true <= known.makespan, entry.name
                compared += 1
    assert compared >= 15


def test_entries_that_must_agree_do():
    """Locality can only cost; a finer grid of slots that the coarser one refines can only save."""
    for entry in LIBRARY.entries:
        if entry.name.endswith("-free"):
            bound = LIBRARY[entry.name.removesuffix("-free")]
            assert entry.records[-1].lower_bound <= bound.records[-1].makespan
    for bandwidth in ("std", "tight"):
        for seed in (0, 1):
            for coarse, fine in ((100, 50), (50, 25), (50, 10), (10, 5), (5, 0)):
                lower = LIBRARY[f"oas-8-3x4-{bandwidth}-{fine}-s{seed}"].records[-1].lower_bound
                upper = LIBRARY[f"oas-8-3x4-{bandwidth}-{coarse}-s{seed}"].records[-1].makespan
                assert lower <= upper


@pytest.mark.slow
def test_verifying_loads_no_solver():
    code = (
        "import sys; from oas.library import *; l = Library(); "
        "e = l.select(['oas-8-*', 'oas-16-3x4-*', 'uni-n10-*', 'wc-*']); c = counted(check_entries(l, e)); "
        "assert c['faults'] == 0 and c['schedules verified'] == len(e) > 50, c; "
        "print(*{'highspy', 'ortools', 'pyomo', 'pulp', 'pandas', 'matplotlib'}.intersection(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert (run.stdout.strip(), run.stderr, run.returncode) == ("", "", 0)


@pytest.mark.parametrize("seed", every_fourth_quick(range(32)))
def test_no_job_is_later_whatever_the_schedule(seed):
    instance = random_instance(seed).with_locality(None)
    scaled = instance.scaled()
    before = schedule_from_cluster_runs(instance, scaled, random_cluster_runs(scaled, seed))
    assert oas.verify(instance, before) == []
    after = schedule_of(instance, order_of(instance, before), "again")
    assert oas.verify(instance, after) == []
    assert after.method == "again"
    for job in instance.jobs:
        assert after[job.id].end <= before[job.id].end
        assert after[job.id].nodes.keys() == before[job.id].nodes.keys()
    # No job can move any further, so the order of the new schedule yields the same schedule.
    assert schedule_of(instance, order_of(instance, after)) == after


@pytest.mark.parametrize(
    ("order", "said"), [({"O1": ["J99"]}, "no such job"), ({"O9": ["J1"]}, "no such job or cluster")]
)
def test_an_order_of_strangers_is_refused(order, said):
    with pytest.raises(InputError, match=said):
        schedule_of(uni(seed=3, jobs=10, organizations=2, processors=8), order)
