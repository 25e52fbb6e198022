"""Studies of fairness: distances recomputed from starts, figures counted by moments, prices against brute force."""

import re
import signal
import time
from dataclasses import replace
from fractions import Fraction
from fractions import Fraction as F
from math import exp

import numpy as np
import pytest

import oas
from benchmarks.claims import fair as claims
from oas.core.errors import InputError
from oas.core.registry import FAIR
from oas.core.result import Termination
from oas.fair.exact.brute_force import brute_force
from oas.fair.objectives import Objective, ScheduleClass, class_violations, objective_value, open_at_horizon
from oas.fair.search.engine import method_of
from oas.fair.search.policy import FirstPresented, Watcher
from oas.fair.stream_rules import ticks_violations
from oas.fair.studies import references
from oas.fair.studies.fairness import fairness
from oas.fair.studies.figures import figures_of, flows_alone, mean_of
from oas.fair.studies.price import price_of_fairness
from oas.fair.studies.references import ledger
from oas.fair.ticks import FairTicks, schedule_from_starts
from oas.solving.methods import find_method
from oas.solving.study import Interval
from tests.fair.instances import array_of, case, fair, placed, random_instance, random_starts
from tests.heuristics.fair.plain import PlainReference
from tests.slow import mostly_slow


def pool(seed=0, **changes):
    given = {"organizations": 3, "processors": 5, "horizon": 60, "time": 5, "load": "6/5", **changes}
    return oas.generate.arrivals(seed=seed, **given)


def utilities(ticks, starts, now):
    """ψ of each organization, and units of work, unit by unit."""
    psi, work = [0] * ticks.organization_count, 0
    for job, start in enumerate(starts.tolist()):
        if start >= 0:
            for moment in range(start, min(start + int(ticks.time[job]), now)):
                psi[ticks.owner[job]] += int(ticks.width[job]) * (now - moment)
                work += int(ticks.width[job])
    return psi, work


def picking(name, pick):
    """Return a method that picks the next organization by a function of the moment and the waiting organizations."""
    return method_of(type(name, (FirstPresented,), {"pick": lambda self, now, waiting: pick(now, waiting)}), name)


def interrupt(_now, _waiting):
    raise KeyboardInterrupt


def spin(_now, waiting):
    while True:
        try:
            waiting[99]
        except Exception:
            continue


class ByLot(Watcher):
    def __init__(self, seed):
        self._draw = np.random.default_rng(seed)

    def pick(self, now, waiting):
        return int(self._draw.choice(waiting))


def fcfs(instance, *, seed=0):
    return find_method("FCFS", FAIR)(instance, seed=seed)


def late(instance, *, seed=0):
    """FCFS, each job one moment late: not greedy."""
    runs = [one for one in fcfs(instance).placements if one.start + 1 < instance.horizon]
    return oas.Schedule([oas.Placement(one.job, one.start + 1, one.end + 1, one.nodes) for one in runs])


@pytest.mark.parametrize("seed", range(6))
def test_distances_are_what_the_starts_say(seed):
    instance = pool(seed, widest=1 + seed % 2)
    found = fairness(instance, seeds=4, samples=[3])
    ticks, now = instance.scaled(), instance.horizon
    assert (found.base, found.refused, found.skipped, found.violated) == ("REF", "", (), False)
    ref = found.rows[0].trials[0]
    due, work = utilities(ticks, ref.starts, now)
    assert found.work == work and [one.utility for one in found.accounts] == due
    assert {row.policy for row in found.rows} >= {"REF", "RAND(3)", "DIRECTCONTR", "ROUNDROBIN", "FCFS", "FAIRSHARE"}
    gains = found.gains()
    for row in found.rows:
        assert len(row.trials) in (1, 4)
        for trial in row.trials:
            assert ticks_violations(ticks, trial.starts) == []
            psi, _ = utilities(ticks, trial.starts, now)
            assert list(trial.figures.utilities) == psi
            distance = sum(abs(one - other) for one, other in zip(psi, due, strict=True))
            assert trial.unfairness == Fraction(distance, work)
        mean = sum((trial.unfairness for trial in row.trials), Fraction(0)) / len(row.trials)
        assert row.unfairness.value == mean and row.unfairness.count == len(row.trials)
        if len(row.trials) == 1:
            assert sum(map(abs, gains[row.policy])) == mean


def test_the_ledger_is_phi_less_psi():
    instance = pool(3)
    found = fairness(instance, ["ROUNDROBIN", "DIRECTCONTR"], seeds=3, samples=[])
    book, ticks = ledger(found), instance.scaled()
    assert list(book.owed) == [
        "REF",
        *sorted(("DIRECTCONTR", "ROUNDROBIN"), key=lambda one: found.row(one).unfairness.value),
    ]
    assert book.moments[0] == 0 and book.moments[-1] == instance.horizon and book.names == found.case.names
    due = found.reference.contributions
    assert list(due[:, -1]) == [one.contribution for one in found.accounts]
    for place in (7, 30, len(book.moments) - 1):
        now = int(book.moments[place])
        whole, _ = utilities(ticks, found.rows[0].trials[0].starts, now)
        assert sum(due[:, place]) == sum(whole)  # all that is got is contributed by someone
        for policy, layers in book.owed.items():
            for layer, trial in zip(layers, found.row(policy).trials, strict=True):
                psi, _ = utilities(ticks, trial.starts, now)
                expected = [float((one - other) / found.work) for one, other in zip(due[:, place], psi, strict=True)]
                assert layer[:, place] == pytest.approx(expected)
    ends = book.owed["ROUNDROBIN"][0][:, -1] - book.owed["REF"][0][:, -1]
    assert abs(ends).sum() == pytest.approx(float(found.row("ROUNDROBIN").unfairness.value))


def test_more_than_20_organizations_are_refused_with_the_cost():
    many = fair(*[(1, [(2,), (3, 1)])] * 21, horizon=9)
    found = fairness(many, ["FCFS"], samples=[])
    assert found.reference is None and found.base == "FCFS"
    assert "at most 20" in found.refused and "2^21" in found.refused


@pytest.mark.parametrize(
    ("pick", "note"),
    [
        (lambda now, waiting: 1 // 0, "policy mine: at moment .* it raises ZeroDivisionError: "),
        (lambda now, waiting: 99, "policy mine: at moment .* it picks organization 99, which does not exist"),
    ],
)
def test_a_policy_that_misbehaves_has_a_row_and_the_others_go_on(pick, note):
    found = fairness(pool(), [picking("mine", pick), "FCFS"], samples=[])
    (trial,) = found.row("mine").trials
    assert trial.starts is None and trial.unfairness is None and found.violated
    assert re.search(note, trial.note) and trial.note.partition(": ")[2][:20] in repr(found)
    assert found.row("FCFS").sound and found.row("mine").unfairness is None


@pytest.mark.parametrize("pick", [lambda now, waiting: time.sleep(3600), spin], ids=["sleeps", "spins"])
def test_a_policy_that_hangs_is_ended(pick):
    before = signal.getsignal(signal.SIGALRM)
    found = fairness(pool(), [picking("hangs", pick)], reference=False, samples=[], time_limit=1)
    (trial,) = found.row("hangs").trials
    assert trial.starts is None and trial.timed_out and trial.note.startswith("not done after 0.2")
    assert found.skipped == ("hangs",) and not found.violated and "not done after" in repr(found)
    assert signal.getsignal(signal.SIGALRM) is before and signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_ctrl_c_keeps_what_is_finished():
    found = fairness(pool(), ["FCFS", picking("Stopped", interrupt), "ROUNDROBIN"], samples=[2])
    assert found.interrupted and [row.policy for row in found.rows] == ["FCFS"]
    assert found.skipped == ("Stopped", "ROUNDROBIN", "RAND(2)") and found.refused == "interrupted"


def test_lots_are_drawn_with_every_seed_and_what_draws_none_runs_once():
    found = fairness(pool(), [method_of(ByLot, "by lot"), "FCFS"], seeds=5, samples=[])
    assert [trial.seed for trial in found.row("by lot").trials] == [0, 1, 2, 3, 4]
    assert len(found.row("FCFS").trials) == 1
    distances = [trial.unfairness for trial in found.row("by lot").trials]
    assert len(set(distances)) > 1 and found.row("by lot").unfairness.margin > 0
    assert found.row("FCFS").unfairness.margin is None
    again = fairness(pool(), [method_of(ByLot, "by lot")], seeds=2, samples=[])
    assert [trial.unfairness for trial in again.row("by lot").trials] == distances[:2]


def test_a_second_algorithm_looks_at_ref(monkeypatch):
    found = fairness(pool(2), [], samples=[], verify=True)
    assert found.recheck_violations == () and not found.violated
    assert fairness(pool(2), [], samples=[]).recheck_violations is None
    assert fairness(pool(2), ["FCFS"], samples=[], verify=True, reference=False).recheck_violations is None
    honest = references.reference

    def lies(*arguments, **more):
        run = honest(*arguments, **more)
        return replace(run, values=np.array([*run.values[:-1], run.values[-1] + 1]))

    monkeypatch.setattr(references, "reference", lies)
    caught = fairness(pool(2), [], samples=[], verify=True)
    assert [one.rule for one in caught.recheck_violations] == ["value"] and caught.violated


def counted(instance, starts, now):
    """By organization: units of work over, ψ, moments waited and moments in the system, of one schedule."""
    found = []
    for organization in instance.organizations:
        work = psi = wait = flow = count = 0
        for job in organization.jobs:
            release, time, start = int(job.release), int(job.time), starts.get(job.id)
            if release >= now:
                continue
            count += 1
            for moment in range(release, now):
                runs = start is not None and start <= moment < start + time
                wait += start is None or moment < start
                flow += start is None or moment < start + time
                work += runs * job.processors
                psi += runs * job.processors * (now - moment)
        found.append((work, psi, wait, flow, count))
    return found


def alone(instance, k):
    """Organization k on its own processors, moment by moment: its jobs in their order, as soon as they fit."""
    organization = instance.organizations[k]
    starts, queue, ends = {}, list(organization.jobs), []
    for now in range(instance.horizon):
        ends = [one for one in ends if one[0] > now]
        idle = organization.processors - sum(width for _, width in ends)
        while queue and queue[0].release <= now and queue[0].processors <= idle:
            job = queue.pop(0)
            starts[job.id] = now
            ends.append((now + int(job.time), job.processors))
            idle -= job.processors
    return starts


@pytest.mark.parametrize("seed", range(30))
def test_figures_are_what_is_counted(seed):
    instance = random_instance(seed)
    starts, ticks, now = random_starts(instance, seed), instance.scaled(), instance.horizon
    flows = [counted(instance, alone(instance, k), now)[k][3] for k in range(len(instance.organizations))]
    assert flows_alone(ticks) == flows
    found, rows = figures_of(ticks, array_of(instance, starts), flows), counted(instance, starts, now)
    count = sum(row[4] for row in rows)
    assert found.work == tuple(row[0] for row in rows) and found.utilities == tuple(row[1] for row in rows)
    assert found.utilisation == F(sum(found.work), now * instance.node_count)
    assert found.mean_wait == F(sum(row[2] for row in rows), count)
    assert found.mean_flow == F(sum(row[3] for row in rows), count)
    assert found.finish_ratio == tuple(F(row[3], own) if own else None for row, own in zip(rows, flows, strict=True))
    assert found.worst_ratio == max(one for one in found.finish_ratio if one is not None)
    shares = [row[0] / own.processors for row, own in zip(rows, instance.organizations, strict=True) if row[4]]
    assert found.jain == pytest.approx(sum(shares) ** 2 / len(shares) / sum(one * one for one in shares))


def test_the_mean_is_exact_and_its_interval_students():
    found = mean_of([1, 2, 4, F(1, 3)])
    assert (found.value, found.count, found.least, found.most) == (F(11, 6), 4, F(1, 3), 4)
    spread = (sum((float(one) - 11 / 6) ** 2 for one in (1, 2, 4, 1 / 3)) / 3 / 4) ** 0.5
    assert found.margin == pytest.approx(3.182446305 * spread)
    assert mean_of([5, 5]).margin == 0 and mean_of([5]).margin is None
    with pytest.raises(InputError, match="sample"):
        mean_of([])


@pytest.mark.parametrize("samples", [15, 75, 11_513])
def test_epsilon_fills_the_bound_of_the_proof(samples):
    """exp(−ε²N/k²) = (1 − λ)/k."""
    assert exp(-(claims.epsilon(samples) ** 2) * samples / 25) == pytest.approx(0.05 / 5)
    assert claims.epsilon(15) > 1 and claims.epsilon(75) > 1
    assert claims.epsilon(11_512) > 0.1 >= claims.epsilon(11_513)


@pytest.mark.parametrize(("organizations", "time"), [(2, 1), (3, 1), (4, 3), (5, 2), (10, 7)])
def test_opposite_orders_by_the_closed_form(organizations, time):
    m, p = organizations, time
    closed = F(m * p, m * p + 1) if m % 2 == 0 else F((m * m - 1) * p, m * (m * p + 1))
    assert claims.opposite_orders(m, 1, p) == claims.opposite_orders(m, 4, p) == closed


def test_figure_1_by_the_sums_in_its_caption():
    """Each job as start and time: p · (t − (s + e)/2), e its last unit."""
    tasks = [(0, 3), (0, 4), (0, 3), (3, 6), (3, 3), (4, 6), (6, 3), (9, 3), (10, 4)]
    at = {t: sum((min(p, t - s) * (t - F(s + min(s + p, t) - 1, 2)) for s, p in tasks), F(0)) for t in (13, 14)}
    assert [int(at[13]), int(at[14]), sum(s + p for s, p in tasks)] == [262, 297, 70]
    assert claims.figure1_values() == "262, 297; flow 70"


def test_numbers_near_the_end_of_64_bits():
    far = 2**61
    ticks = FairTicks([1, 1], [0, 1], [0, 0], [far, far], [1, 1], far)
    found = figures_of(ticks, np.array([0, 0]), [far, far])
    assert found.utilities == (far * (far + 1) // 2,) * 2 and found.mean_flow == far and found.utilisation == 1


# Two processors. All greedy schedules start a2 together with a1; if a processor idles at 0, all jobs end by 5, not 6.
HAND = fair((1, [(3,), (2,)]), (1, [(4, 1)]), horizon=6)
GREEDY = placed(HAND, {"a1": 0, "a2": 0, "b1": 2})


def unit_ref(instance):
    """REF by unit steps."""
    plain = PlainReference(instance.scaled())
    return schedule_from_starts(instance, plain.runs[plain.everyone].row())


@pytest.mark.parametrize("seed", mostly_slow(range(14), quick=range(5)))
def test_prices_are_ratios_to_the_optima_of_brute_force(seed):
    instance = case(seed)
    schedule = unit_ref(instance)
    assert class_violations(instance, schedule, ScheduleClass.GREEDY) == []
    study = price_of_fairness(instance, "brute-force", schedule=schedule)
    assert [(one.objective, one.schedule_class) for one in study] == [(o, w) for o in Objective for w in ScheduleClass]
    for one in study:
        if one.objective is Objective.MAKESPAN and open_at_horizon(instance, schedule):
            assert one.optimum is one.price is None and one.note == open_at_horizon(instance, schedule)
            continue
        truth = brute_force(instance, one.objective, one.schedule_class)
        assert truth is not None and one.optimum is not None and one.price is not None and one.reference is not None
        assert one.optimum.value == one.optimum.bound == truth[0]
        assert one.reference == objective_value(instance, schedule, one.objective)
        ratio = F(truth[0], one.reference)
        assert one.price == Interval(ratio, ratio) if one.objective == "psi_sp" else Interval(1 / ratio, 1 / ratio)
        assert one.price.low >= 1  # the fair schedule is never better than the best greedy one
    for objective in Objective:
        greedy, free = study.row(objective, "greedy").price, study.row(objective, "any").price
        assert (greedy is None) == (free is None)
        assert greedy is None or free is None or greedy.low <= free.low


def test_by_hand():
    study = price_of_fairness(HAND, schedule=GREEDY)
    prices = [one.price.low for one in study if one.price is not None and one.price.exact]
    assert prices == [1, 1, 1, 1, 1, F(6, 5)]
    assert study.schedule is GREEDY and not study.interrupted


def test_price_ctrl_c_keeps_what_is_finished():
    instance = case(5)
    schedule = unit_ref(instance)
    whole = price_of_fairness(instance, "brute-force", schedule=schedule, objectives=["flow", "psi_sp"])

    def stop(seen):
        if seen.part == "flow, any":
            raise KeyboardInterrupt

    study = price_of_fairness(
        instance, "brute-force", schedule=schedule, objectives=["flow", "psi_sp"], on_progress=stop
    )
    assert study.interrupted and not whole.interrupted and len(study) == len(whole) == 4
    assert study[0].price == whole[0].price and study[0].price is not None and study[0].price.exact
    for one, truth in zip(study, whole, strict=True):
        assert one.price is not None and truth.price is not None
        assert one.price.low <= truth.price.low <= one.price.high
    ends = [one.optimum.termination for one in study if one.optimum is not None]
    assert ends == [Termination.FINISHED, *3 * [Termination.INTERRUPTED]]
    assert [one.optimum.seconds for one in list(study)[2:] if one.optimum is not None] == [0, 0]  # never asked


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"objectives": ["speed"]}, r"objectives: unknown; known: psi_sp, flow, makespan \(got 'speed'\)"),
        ({"time_limit": -1}, "time_limit: must be a finite number"),
        ({"solver": "cpsat"}, "solver: takes no MIP model"),
        ({"schedule": placed(HAND, {"a1": 0, "b1": 1, "a2": 3})}, r"schedule: it is not feasible: \[greedy\]"),
        ({"schedule": "FCFS"}, "schedule"),
    ],
)
def test_bad_input_is_refused_before_anything_is_solved(given, message):
    seen = []
    with pytest.raises(InputError, match=message):
        price_of_fairness(HAND, **{"schedule": GREEDY, "on_progress": seen.append, **given})
    assert not seen
