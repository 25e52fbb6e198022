"""REF event by event, all coalitions in time order: plain functions over arrays.

There are no chunks and no earlier contributions. Each coalition's Hart-Mas-Colell potential P(C) = Σ over S ⊆ C of
(|S| − 1)!(|C| − |S|)!/|C|!·v(S) is always current, as a quadratic in t: each change of the number of busy processors of
S is added to all C that contain S. φ_u(C) = P(C) − P(C∖u), so a decision in C compares −P(C∖u) − ψ_u at t + 1.
"""

from __future__ import annotations

from typing import NamedTuple

from oas.core.compiling import short_kernel
from oas.core.shared_kernels import Numbers, rise, sink

SINCE, AMOUNT, PACE, BUSY = range(4)
"""Columns of a quadratic: AMOUNT at the moment SINCE, its last growth PACE, and BUSY, the growth of PACE per moment."""

OWNER, RELEASE, TIME, WIDTH = range(4)
"""Columns of `Coalitions.jobs`."""

JOB, CHOSEN, RIVAL, MARGIN = range(4)
"""Columns of `Coalitions.notes`; the margin is multiplied by the scale."""

EVENTS, PRESENTED, MADE = range(3)
"""`Coalitions.counts`: running jobs; released jobs; contended decisions of all."""


class Coalitions(NamedTuple):
    """All arrays; a coalition is a number whose bits are its members."""

    jobs: Numbers  # in submission order
    # The jobs by organization; index of each coalition's next job of each member; index of each organization's first
    # job that is not released
    queue: Numbers
    head: Numbers
    tail: Numbers
    # The coalitions, smaller ones first; number of members; idle processors
    by_rank: Numbers
    size: Numbers
    idle: Numbers
    # Quadratics: P of each coalition, times the scale; v of each coalition; ψ of each member of each coalition
    potential: Numbers
    value: Numbers
    utility: Numbers
    weight: Numbers  # row c, column s: scale × (s − 1)!(c − s)!/c!
    # A heap of the running jobs that end before the horizon: end × number of ranks + rank of the coalition; the job
    ends: Numbers
    running: Numbers
    starts: Numbers  # start of each job in the grand coalition
    # Explained above
    notes: Numbers
    counts: Numbers


@short_kernel
def proceed(all_: Coalitions, until: int, stride: int, scale: int, moments: int) -> int:
    """Process the next events before `until`, at most `moments` moments; return the number of processed moments."""
    counts, jobs, ends, ranks = all_.counts, all_.jobs, all_.ends, len(all_.by_rank)
    done = 0
    while done < moments:
        now = until
        if counts[PRESENTED] < len(jobs):
            now = min(now, jobs[counts[PRESENTED], RELEASE])
        if counts[EVENTS] > 0:
            now = min(now, ends[0] // ranks)
        if now >= until:
            return done
        done += 1
        released = 0
        while counts[PRESENTED] < len(jobs) and jobs[counts[PRESENTED], RELEASE] == now:
            owner = jobs[counts[PRESENTED], OWNER]
            released |= 1 << owner
            all_.tail[owner] += 1
            counts[PRESENTED] += 1
        if released:
            for rank in range(ranks):
                ended = counts[EVENTS] > 0 and ends[0] == now * ranks + rank
                if ended or all_.by_rank[rank] & released:
                    visit(all_, rank, now, until, stride, scale)
        while counts[EVENTS] > 0 and ends[0] // ranks == now:
            visit(all_, ends[0] % ranks, now, until, stride, scale)
    return done


def visit(all_: Coalitions, rank: int, now: int, until: int, stride: int, scale: int) -> None:
    """Process the ends and starts of a coalition, and update the potentials of all its supersets."""
    counts, ends, running, coalition = all_.counts, all_.ends, all_.running, all_.by_rank[rank]
    ranks, first = len(all_.by_rank), coalition * len(all_.tail)
    change = 0
    while counts[EVENTS] > 0 and ends[0] == now * ranks + rank:
        owner, width = all_.jobs[running[0], OWNER], all_.jobs[running[0], WIDTH]
        counts[EVENTS] -= 1
        sink(ends, running, 0, counts[EVENTS], ends[counts[EVENTS]], running[counts[EVENTS]])
        change -= width
        bring(all_.utility, first + owner, now)
        all_.utility[first + owner, BUSY] -= width
    all_.idle[coalition] -= change
    while True:
        chosen = choice(all_, coalition, now, stride, scale)
        if chosen < 0:
            break
        job = all_.queue[all_.head[coalition, chosen]]
        all_.head[coalition, chosen] += 1
        width, end = all_.jobs[job, WIDTH], now + all_.jobs[job, TIME]
        all_.idle[coalition] -= width
        change += width
        bring(all_.utility, first + chosen, now)
        all_.utility[first + chosen, BUSY] += width
        if end < until:
            rise(ends, running, 0, counts[EVENTS], end * ranks + rank, job)
            counts[EVENTS] += 1
        if rank == ranks - 1:
            all_.starts[job] = now
    if change == 0:
        return
    bring(all_.value, coalition, now)
    all_.value[coalition, BUSY] += change
    others = (len(all_.size) - 1) ^ coalition
    more = others
    while True:
        above = coalition | more
        bring(all_.potential, above, now)
        all_.potential[above, BUSY] += all_.weight[all_.size[above], all_.size[coalition]] * change
        if more == 0:
            return
        more = (more - 1) & others


def bring(quadratics: Numbers, row: int, now: int) -> None:
    """Advance a quadratic to the moment `now`."""
    passed = now - quadratics[row, SINCE]
    quadratics[row, AMOUNT] = ahead(quadratics, row, now)
    quadratics[row, PACE] += passed * quadratics[row, BUSY]
    quadratics[row, SINCE] = now


def ahead(quadratics: Numbers, row: int, moment: int) -> int:
    """Return the value of a quadratic at a moment."""
    passed = moment - quadratics[row, SINCE]
    steps = passed * (passed + 1) // 2
    return quadratics[row, AMOUNT] + passed * quadratics[row, PACE] + steps * quadratics[row, BUSY]


def choice(all_: Coalitions, coalition: int, now: int, stride: int, scale: int) -> int:
    """Return the organization whose next job starts, -1 for none; record the decision if it is due."""
    organizations = len(all_.tail)
    best = rival = -1
    top = second = 0
    for u in range(organizations):
        if not (coalition >> u) & 1 or all_.head[coalition, u] == all_.tail[u]:
            continue
        if all_.jobs[all_.queue[all_.head[coalition, u]], WIDTH] > all_.idle[coalition]:
            continue
        score = -ahead(all_.potential, coalition - (1 << u), now + 1)
        score -= scale * ahead(all_.utility, coalition * organizations + u, now + 1)
        if best < 0 or score > top:
            rival, second = best, top
            best, top = u, score
        elif rival < 0 or score > second:
            rival, second = u, score
    if rival >= 0 and coalition == len(all_.size) - 1:
        if all_.counts[MADE] % stride == 0:
            note = all_.counts[MADE] // stride
            all_.notes[note, JOB] = all_.queue[all_.head[coalition, best]]
            all_.notes[note, CHOSEN] = best
            all_.notes[note, RIVAL] = rival
            all_.notes[note, MARGIN] = top - second
        all_.counts[MADE] += 1
    return best
