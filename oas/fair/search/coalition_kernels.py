"""Inner loops of REF and RAND: schedules of many coalitions, one chunk of time after another.

A coalition is a set of organizations, with bit u for organization u. Within a chunk of time the coalitions run one
after another, smaller ones first, each with its own heap, so the values on which its decisions depend are known. Times
are counted from the beginning b of the chunk: x = t − b.

**Values.** With T(d) = d(d + 1)/2, a processor that is busy from s to e is worth T(x − s) − T(x − e) at x. So a value
is a quadratic in x, given by three sums over starts and ends. For a coalition S, v(S, b + x) = v(S, b) + x·n(S, b) +
ε(S, x), where n is the number of units completed before b, and ε the value of the units within the chunk.

**Decisions.** A start at t first counts at t + 1, where the organizations' φ − ψ are compared. φ_u(C) = P(C) − P(C∖u),
with Hart and Mas-Colell's potential P(C) = Σ over S ⊆ C of (|S| − 1)!(|C| − |S|)!/|C|!·v(S); P(C) is common to all
members. Its weights are non-negative, and P is linear in v, so

    φ_u − ψ_u at b + x  =  φ_u − ψ_u at b  +  x·(its growth at b)  −  Pε(C∖u, x)  −  ψε_u(x)  +  common terms.

All terms except Pε(C∖u, x) are known.

**An earlier φ usually suffices.** At each moment of a chunk between least(S) and most(S) processors of S are busy, for
jobs of any width, so least(S)·T(x) ≤ ε(S, x) ≤ most(S)·T(x): in the moment i the coalition is busy on β_i processors,
and ε(S, x) = Σ over i ≤ x of (x − i + 1)·β_i. Hence P(least, C∖u)·T(x) ≤ Pε(C∖u, x) ≤ P(most, C∖u)·T(x). Let mid_u be
the middle of this, and `spread` twice the largest distance of a member's bounds from its middle. Then the leader's φ
− ψ is truly the largest if, with mid_u·T(x) in place of Pε, it leads by more than spread·T(x). As 0 ≤ least ≤ most ≤
m_S, this follows from "v(S) gains at most m_S units a moment", and is tighter if few jobs start or end in a chunk.
Without least and most there is a bound for each pair: φ_u − φ_w = Σ over S ⊆ C∖{u, w} of a_S·(v(S∪u) − v(S∪w)), where
a_S = |S|!(|C| − |S| − 2)!/(|C| − 1)! add up to 1, and Σ a_S·m_S = (m_C − m_u − m_w)/2; so, extrapolated by x times its
growth at b, φ_u − φ_w is too large by at most Σ a_S·m_{S∪w}·T(x) = (m_C + m_w − m_u)/2·T(x). Decisions that the bounds
leave open are made exactly, by Pε itself, a sum over the subsets of C∖u.

**Integers.** L = lcm(1, …, k) makes all weights integers: they are 1/(s·binomial(c, s)), and the least common multiple
of s·binomial(c, s) over s ≤ c is lcm(1, …, c). φ − ψ is stored as 2L times itself, in two parts, the lower with `SHIFT`
bits; within a chunk it is one number. If members are too far apart for that, gaps that no chunk can close are reduced
(`one_number`). `oas.fair.search.coalitions` bounds all numbers before a run.
"""

from __future__ import annotations

from typing import NamedTuple

from oas.core.compiling import short_kernel
from oas.core.shared_kernels import Numbers, rise, sink

BITS, OWNER = 6, 63  # `Game.uses` holds ``width << BITS | organization``
SHIFT = 40  # bits of the lower part of φ − ψ
LOWER = (1 << SHIFT) - 1

FIRST_COME, CONTRIBUTION, SAMPLE = range(3)
"""Rule by which the next job is selected: first submitted; largest φ − ψ; largest φ̂ − ψ, φ̂ from sampled coalitions."""

MASK, MACHINES, BASE, IDLE, JOBS, VALUE, DONE, FIRST, LAST, GAIN, PACE, LEAST, MOST = range(13)
"""Columns of `Game.rows`: members as bits; processors of all members; offset of the coalition's heap. At the start of
the chunk: idle processors, number of running jobs, v, and completed units. For coalitions already run in this chunk:
first and last of its entries; P of ε and of the units completed in the chunk, times the scale; P of the minimum and
maximum number of busy processors, times half the scale. For rules other than CONTRIBUTION, GAIN and PACE are twice the
values themselves instead of P of them."""

PLACE, RUNNING, HIGH, LOW, DRIFT = range(5)
"""Columns of `Game.members`, at the start of the chunk: index in `Game.line` of the member's next job; processors that
its jobs occupy; φ − ψ times the scale, ``HIGH << SHIFT | LOW``; growth of it per moment from completed units."""

APART = 64  # maximum number of organizations, plus one or more
INITIAL, CONSTANT, LINEAR, SQUARE, MIDDLE, POTENTIAL, HEAD, COME = range(0, 8 * APART, APART)
"""Offsets in `Game.own` of the numbers for organizations 0, 1, …, while a coalition runs. φ − ψ times the scale, up to
a common term, is INITIAL at the start of the chunk, and at x CONSTANT + x·(LINEAR + x·SQUARE), with Pε replaced by the
middle of its bounds. MIDDLE is that middle divided by x² + x, and POTENTIAL is Pε at some x, if needed. HEAD is the
index in `Game.line` of the next job, and COME that of the first job not yet released."""

ORGANIZATIONS, HALF_SCALE, NARROW, WATCHED, RULE, TARGET, LONGEST, FASTEST, FAR, CUT, STRIDE = range(11)
"""`Game.fixed`: k; half the scale; whether all jobs need one processor; the coalition whose starts are recorded; its
rule and, if it is CONTRIBUTION, that of all; desired number of starts and releases in a chunk; maximum length of a
chunk, and of its length times the fastest drift; difference in HIGH above which gaps are reduced, and the reduced gap;
interval of recorded contended decisions of the coalition watched, 0 for none."""

BEGIN, END, NEXT, FROM, TO, SPAN, USED, PEAK, SPREAD = range(9)
"""`Game.clock`: start and end of the chunk; index in `Game.order` of the next coalition to run; range of the jobs
released in the chunk; maximum length of the next chunk; entries used; the fastest drift of any member; `spread` of the
coalition that runs."""

CONTENDED, SETTLED, WATCHED_CONTENDED, WATCHED_STARTED = range(4)
"""`Game.counts`: decisions between at least two organizations; those settled by an earlier φ; those of the coalition
watched, and the jobs that it has started in this chunk."""

NOTED_JOB, CHOSEN, RIVAL, LEAD_HIGH, LEAD_LOW = range(5)
"""Columns of `Game.notes`: job, organization chosen, the best other one, and its lead, times the scale:
``LEAD_HIGH << SHIFT`` plus LEAD_LOW."""


class Game(NamedTuple):
    """All arrays; their columns are explained above."""

    # By job, in submission order
    owner: Numbers
    release: Numbers
    # The jobs by organization, then in submission order, with their times and processors
    line: Numbers
    time: Numbers
    width: Numbers
    # The rows of the coalitions in the order in which they run: subsets before supersets
    order: Numbers
    # State of each coalition, and of each of its members
    rows: Numbers
    members: Numbers
    # Heaps of the running jobs, one coalition after another: end of a job; its processors and organization
    ends: Numbers
    uses: Numbers
    # CONTRIBUTION: row c, column s: L·(s − 1)!(c − s)!/c!. SAMPLE: a row for each sampled coalition, a column for each
    # organization: number of orderings in which it adds to φ̂, minus the number in which it is subtracted
    weight: Numbers
    # By number below 256: index of its lowest bit, and number of bits
    bits: Numbers
    count: Numbers
    come: Numbers  # by organization: index in `line` of its first job not released at the start of the chunk
    starts: Numbers  # by job: its start in the coalition watched
    # Entries of the coalitions that have run in this chunk: changes of the number of busy processors at a moment. The
    # first entry of a coalition contains the number at the start of the chunk.
    at: Numbers
    change: Numbers
    # Their columns and offsets are explained above
    own: Numbers
    notes: Numbers
    fixed: Numbers
    clock: Numbers
    counts: Numbers


def lowest(bits: Numbers, mask: int) -> int:
    """Return the index of the lowest bit of a mask."""
    place = 0
    while not mask & 255:
        mask >>= 8
        place += 8
    return place + bits[mask & 255]


def size_of(count: Numbers, mask: int) -> int:
    """Return the number of bits of a mask."""
    total = 0
    while mask:
        total += count[mask & 255]
        mask >>= 8
    return total


@short_kernel
def run(game: Game, until: int, chunks: int) -> bool:
    """Run up to `chunks` chunks, until the moment `until`; False if `Game.at` became full."""
    clock = game.clock
    while chunks > 0 and clock[BEGIN] < until:
        if clock[NEXT] == 0:
            begin_chunk(game, until)
        while clock[NEXT] < len(game.order):
            row = game.order[clock[NEXT]]
            if clock[USED] + most_entries(game, row) > len(game.at):
                return False
            advance(game, row)
            clock[NEXT] += 1
        end_chunk(game)
        chunks -= 1
    return True


def begin_chunk(game: Game, until: int) -> None:
    """Choose the chunk's end, and find the jobs that are released before it."""
    clock, release = game.clock, game.release
    clock[END] = min(until, clock[BEGIN] + clock[SPAN])
    job = clock[FROM]
    while job < len(release) and release[job] < clock[END]:
        job += 1
    clock[TO] = job
    clock[USED] = 0


def end_chunk(game: Game) -> None:
    """Count the chunk's jobs as released, and choose the length of the next."""
    fixed, clock, counts = game.fixed, game.clock, game.counts
    for job in range(clock[FROM], clock[TO]):
        game.come[game.owner[job]] += 1
    events = clock[TO] - clock[FROM] + counts[WATCHED_STARTED]
    counts[WATCHED_STARTED] = 0
    span = (clock[END] - clock[BEGIN]) * fixed[TARGET] // max(events, 1)
    span = max(min(span, 2 * clock[SPAN]), clock[SPAN] // 2)
    clock[SPAN] = max(1, min(span, fixed[LONGEST], fixed[FASTEST] // max(clock[PEAK], 1)))
    clock[BEGIN] = clock[END]
    clock[FROM] = clock[TO]
    clock[NEXT] = 0
    clock[PEAK] = 0


def most_entries(game: Game, row: int) -> int:
    """Return the maximum number of entries of a coalition in this chunk: one per moment, and per start or end."""
    clock = game.clock
    jobs = clock[TO] - clock[FROM]
    left = game.rows[row, MASK]
    while left:
        u = lowest(game.bits, left)
        jobs += game.come[u] - game.members[row, u, PLACE]
        left &= left - 1
    return min(clock[END] - clock[BEGIN], game.rows[row, JOBS] + 2 * jobs) + 1


def advance(game: Game, row: int) -> None:
    """Run a coalition through the chunk."""
    owner, release, line, time, width = game.owner, game.release, game.line, game.time, game.width
    rows, own, ends, uses, at, change = game.rows, game.own, game.ends, game.uses, game.at, game.change
    fixed, clock, bits = game.fixed, game.clock, game.bits
    mask, machines, base = rows[row, MASK], rows[row, MACHINES], rows[row, BASE]
    half, narrow, watched = fixed[HALF_SCALE], fixed[NARROW], row == fixed[WATCHED]
    rule = fixed[RULE] if watched or fixed[RULE] == CONTRIBUTION else FIRST_COME
    begin, finish, job, last = clock[BEGIN], clock[END], clock[FROM], clock[TO]
    waiting = enter(game, row, rule)
    idle, size, spread = rows[row, IDLE], rows[row, JOBS], clock[SPREAD]
    old = rule == CONTRIBUTION and not (watched and fixed[STRIDE])
    contended = settled = 0
    least, most = machines, 0
    entry = clock[USED]
    rows[row, FIRST] = entry
    at[entry] = 0
    change[entry] = machines - idle
    now = begin
    while True:
        while job < last and not (mask >> owner[job]) & 1:
            job += 1
        moment = finish
        if job < last:
            moment = release[job]
        if size > 0 and ends[base] < moment:
            moment = ends[base]
        if moment > now:
            least = min(least, machines - idle)
            most = max(most, machines - idle)
        if moment == finish:
            break
        now = moment
        x = now - begin
        before = idle
        vacant = False  # whether the first place of the heap is free, so that a start may use it
        while not vacant and size > 0 and ends[base] == now:
            use = uses[base]
            idle += use >> BITS
            hold(own, use & OWNER, x, -half * (use >> BITS))
            if alone(ends, base, size):
                vacant = True
            else:
                size -= 1
                sink(ends, uses, base, size, ends[base + size], uses[base + size])
        while job < last and release[job] == now:
            u = owner[job]
            if (mask >> u) & 1:
                own[COME + u] += 1
                waiting |= 1 << u
            job += 1
        while idle > 0 and waiting != 0:
            fits = waiting if narrow else fitting(width, own, bits, waiting, idle)
            if fits == 0:
                break
            if fits & (fits - 1) == 0:
                u = lowest(bits, fits)
            elif rule == FIRST_COME:
                u = first_presented(line, own, bits, fits)
            else:
                contended += 1
                u = -1
                if old:
                    u = leader(own, bits, fits, x + 1, spread)
                if u < 0:
                    u = undecided(game, row, rule, fits, x + 1)
                else:
                    settled += 1
            head = own[HEAD + u]
            own[HEAD + u] = head + 1
            if head + 1 == own[COME + u]:
                waiting ^= 1 << u
            needs = width[head]
            idle -= needs
            hold(own, u, x, half * needs)
            if vacant:
                vacant = False
                sink(ends, uses, base, size, now + time[head], needs << BITS | u)
            else:
                rise(ends, uses, base, size, now + time[head], needs << BITS | u)
                size += 1
            if watched:
                game.starts[line[head]] = now
                game.counts[WATCHED_STARTED] += 1
        if vacant:
            size -= 1
            sink(ends, uses, base, size, ends[base + size], uses[base + size])
        if x == 0:
            change[entry] = machines - idle
        elif idle != before:
            entry += 1
            at[entry] = x
            change[entry] = before - idle
    clock[USED] = entry + 1
    rows[row, LAST] = entry + 1
    rows[row, IDLE] = idle
    rows[row, JOBS] = size
    game.counts[CONTENDED] += contended
    game.counts[SETTLED] += settled
    leave(game, row, rule, finish - begin, half * least, half * most)


def alone(ends: Numbers, base: int, size: int) -> bool:
    """Return whether no other job ends together with the first one of a heap."""
    moment = ends[base]
    return (size < 2 or ends[base + 1] > moment) and (size < 3 or ends[base + 2] > moment)


def hold(own: Numbers, u: int, x: int, weight: int) -> None:
    """Let processors of organization u be busy from x on; `weight` is their number times half the scale.

    This subtracts 2T(d − x) = d² + d − x(2d + 1) + x² times `weight` from its φ − ψ at every d.
    """
    own[CONSTANT + u] -= weight * (x * x - x)
    own[LINEAR + u] -= weight * (1 - 2 * x)
    own[SQUARE + u] -= weight


def fitting(width: Numbers, own: Numbers, bits: Numbers, waiting: int, idle: int) -> int:
    """Return the waiting organizations whose next job needs at most `idle` processors."""
    fits = left = waiting
    while left:
        if width[own[HEAD + lowest(bits, left)]] > idle:
            fits ^= left & -left
        left &= left - 1
    return fits


def first_presented(line: Numbers, own: Numbers, bits: Numbers, fits: int) -> int:
    """Return the organization whose next job was submitted first."""
    best = -1
    while fits:
        u = lowest(bits, fits)
        if best < 0 or line[own[HEAD + u]] < line[own[HEAD + best]]:
            best = u
        fits &= fits - 1
    return best


def leader(own: Numbers, bits: Numbers, fits: int, x: int, spread: int) -> int:
    """Return the organization with the largest φ − ψ at x, ties to the first; -1 if an earlier φ does not decide."""
    best = -1
    top = second = 0
    left = fits
    while left:
        u = lowest(bits, left)
        left &= left - 1
        score = own[CONSTANT + u] + x * (own[LINEAR + u] + x * own[SQUARE + u])
        if best < 0:
            best, top, second = u, score, score - spread * (x * x + x) - 1
        elif score > top:
            best, top, second = u, score, top
        elif score > second:
            second = score
    return best if spread == 0 or top - second > spread * (x * x + x) else -1


def undecided(game: Game, row: int, rule: int, fits: int, x: int) -> int:
    """Return the organization with the largest φ − ψ at x, ties to the first, computing the exact φ if necessary.

    An earlier φ is tried first, except for decisions to be recorded, which are always exact.
    """
    own, bits, fixed, counts = game.own, game.bits, game.fixed, game.counts
    noted = False
    if row == fixed[WATCHED] and fixed[STRIDE] > 0:
        noted = counts[WATCHED_CONTENDED] % fixed[STRIDE] == 0
        counts[WATCHED_CONTENDED] += 1
    spread = game.clock[SPREAD]
    if rule == CONTRIBUTION and not noted:
        best = leader(own, bits, fits, x, spread)
        if best >= 0:
            counts[SETTLED] += 1
            return best
        fits = close(own, bits, fits, x, spread)
    if rule == CONTRIBUTION:
        fold(game, row, fits, x)
    else:
        add_sampled(game, x)
    best = rival = -1
    top = second = 0
    while fits:
        u = lowest(bits, fits)
        score = exact_score(own, u, x)
        if best < 0 or score > top:
            rival, second = best, top
            best, top = u, score
        elif rival < 0 or score > second:
            rival, second = u, score
        fits &= fits - 1
    if noted:
        note(game, row, best, rival, x)
    return best


def close(own: Numbers, bits: Numbers, fits: int, x: int, spread: int) -> int:
    """Return the organizations that may have the largest φ − ψ at x, according to an earlier φ."""
    best = leader(own, bits, fits, x, 0)
    found, left = 1 << best, fits
    while left:
        u = lowest(bits, left)
        lead = own[CONSTANT + best] - own[CONSTANT + u] + x * (own[LINEAR + best] - own[LINEAR + u])
        if lead + x * x * (own[SQUARE + best] - own[SQUARE + u]) <= spread * (x * x + x):
            found |= left & -left
        left &= left - 1
    return found


def exact_score(own: Numbers, u: int, x: int) -> int:
    """Return φ − ψ of a member at x, up to a common term, once its POTENTIAL is known."""
    linear, square = own[LINEAR + u] + own[MIDDLE + u], own[SQUARE + u] + own[MIDDLE + u]
    return own[CONSTANT + u] + x * (linear + x * square) - own[POTENTIAL + u]


def note(game: Game, row: int, best: int, rival: int, x: int) -> None:
    """Record a decision of the coalition watched."""
    own, members = game.own, game.members
    place = (game.counts[WATCHED_CONTENDED] - 1) // game.fixed[STRIDE]
    game.notes[place, NOTED_JOB] = game.line[own[HEAD + best]]
    game.notes[place, CHOSEN] = best
    game.notes[place, RIVAL] = rival
    game.notes[place, LEAD_HIGH] = members[row, best, HIGH] - members[row, rival, HIGH]
    gained = exact_score(own, best, x) - own[INITIAL + best] - exact_score(own, rival, x) + own[INITIAL + rival]
    game.notes[place, LEAD_LOW] = gained + members[row, best, LOW] - members[row, rival, LOW]


def fold(game: Game, row: int, among: int, x: int) -> None:
    """Set POTENTIAL of each u in `among` to Pε(C∖u, x), up to a common term.

    Only sets with some but not all of these organizations count: such a set is in the potential of each one it lacks.
    """
    own, bits = game.own, game.bits
    rest, others = row & ~among, size_of(game.count, row) - 1
    left = among
    while left:
        own[POTENTIAL + lowest(bits, left)] = 0
        left &= left - 1
    part = (among - 1) & among
    while part:
        size = size_of(game.count, part)
        total = 0
        more = rest
        while True:
            total += game.weight[others, size + size_of(game.count, more)] * doubled(
                game.rows, game.at, game.change, part | more, x
            )
            if more == 0:
                break
            more = (more - 1) & rest
        left = among & ~part
        while left:
            own[POTENTIAL + lowest(bits, left)] += total
            left &= left - 1
        part = (part - 1) & among


def add_sampled(game: Game, x: int) -> None:
    """Set POTENTIAL of each organization to the share of sampled coalitions in its φ̂, with the sign as in `fold`."""
    own, weight = game.own, game.weight
    for u in range(game.fixed[ORGANIZATIONS]):
        own[POTENTIAL + u] = 0
    for sampled in range(len(weight)):
        value = doubled(game.rows, game.at, game.change, sampled, x)
        for u in range(game.fixed[ORGANIZATIONS]):
            own[POTENTIAL + u] -= weight[sampled, u] * value


def doubled(rows: Numbers, at: Numbers, change: Numbers, row: int, x: int) -> int:
    """Return 2ε of a coalition at x."""
    total = 0
    for entry in range(rows[row, FIRST], rows[row, LAST]):
        since = x - at[entry]
        if since <= 0:
            break
        total += change[entry] * since * (since + 1)
    return total


def enter(game: Game, row: int, rule: int) -> int:
    """Initialize the members of a coalition at the start of the chunk; return those with waiting jobs."""
    own, members, rows, bits, half = game.own, game.members, game.rows, game.bits, game.fixed[HALF_SCALE]
    mask = rows[row, MASK]
    one_number(members, own, bits, row, mask, game.fixed[FAR], game.fixed[CUT])
    waiting = widest = 0
    left = mask
    while left:
        u = lowest(bits, left)
        middle = 0
        if rule == CONTRIBUTION:
            most = rows[mask ^ (1 << u), MOST]
            middle = (rows[mask ^ (1 << u), LEAST] + most) >> 1
            widest = max(widest, most - middle)
        busy = half * members[row, u, RUNNING] + middle
        own[MIDDLE + u] = middle
        own[CONSTANT + u] = own[INITIAL + u]
        own[LINEAR + u] = members[row, u, DRIFT] - busy
        own[SQUARE + u] = -busy
        own[HEAD + u] = members[row, u, PLACE]
        own[COME + u] = game.come[u]
        if own[HEAD + u] < own[COME + u]:
            waiting |= 1 << u
        left &= left - 1
    game.clock[SPREAD] = 2 * widest
    return waiting


def one_number(members: Numbers, own: Numbers, bits: Numbers, row: int, mask: int, far: int, cut: int) -> None:
    """Set INITIAL from the two parts of φ − ψ of each member.

    The order is preserved, and so are small distances. Distances above `far` in the higher part are reduced to `cut`,
    which is more than a chunk can change.
    """
    first = lowest(bits, mask)
    left = mask
    while left:
        u = lowest(bits, left)
        higher = members[row, u, HIGH] - members[row, first, HIGH]
        if higher > far or higher < -far:
            break
        own[INITIAL + u] = (higher << SHIFT) + members[row, u, LOW]
        left &= left - 1
    if left == 0:
        return
    before = -1
    unranked = mask
    while unranked:
        u = least_of(members, bits, row, unranked)
        own[INITIAL + u] = 0
        if before >= 0:
            higher = members[row, u, HIGH] - members[row, before, HIGH]
            gap = cut
            if higher <= far:
                gap = (higher << SHIFT) + members[row, u, LOW] - members[row, before, LOW]
            own[INITIAL + u] = own[INITIAL + before] + gap
        before = u
        unranked ^= 1 << u


def least_of(members: Numbers, bits: Numbers, row: int, among: int) -> int:
    """Return the member with the least φ − ψ at the start of the chunk."""
    best = lowest(bits, among)
    while among:
        u = lowest(bits, among)
        higher = members[row, u, HIGH] - members[row, best, HIGH]
        if higher < 0 or (higher == 0 and members[row, u, LOW] < members[row, best, LOW]):
            best = u
        among &= among - 1
    return best


def leave(game: Game, row: int, rule: int, length: int, least: int, most: int) -> None:
    """Advance a coalition's state to the end of the chunk.

    `least` and `most` are the minimum and maximum number of busy processors, times half the scale.
    """
    own, members, rows, bits, half = game.own, game.members, game.rows, game.bits, game.fixed[HALF_SCALE]
    gain = pace = 0
    left = rows[row, MASK]
    while left:  # now CONSTANT becomes φ − ψ at the end, and LINEAR its growth, both without Pε
        u = lowest(bits, left)
        linear, square = own[LINEAR + u] + own[MIDDLE + u], own[SQUARE + u] + own[MIDDLE + u]
        own[CONSTANT + u] += length * (linear + length * square)
        own[LINEAR + u] = linear + (2 * length - 1) * square
        members[row, u, RUNNING] = -square // half
        members[row, u, PLACE] = own[HEAD + u]
        gain += own[INITIAL + u] + length * members[row, u, DRIFT] - own[CONSTANT + u]
        pace += members[row, u, DRIFT] - own[LINEAR + u]
        left &= left - 1
    rows[row, VALUE] += length * rows[row, DONE] + gain // (2 * half)
    rows[row, DONE] += pace // (2 * half)
    if rule == CONTRIBUTION:
        share(game, row, gain, pace, least, most)
    elif rule == SAMPLE:
        share_sampled(game, row)
    else:
        rows[row, GAIN], rows[row, PACE] = gain // half, pace // half


def share(game: Game, row: int, gain: int, pace: int, least: int, most: int) -> None:
    """Compute the potentials P(C) = (v(C) + Σ over u of P(C∖u))/|C|, and add to each member its share of the gain.

    `gain` and `pace` are times the scale, `least` and `most` times half of it; a row is its own mask.
    """
    rows, own, bits = game.rows, game.own, game.bits
    size = 0
    left = row
    while left:
        rest = row ^ (left & -left)
        gain += rows[rest, GAIN]
        pace += rows[rest, PACE]
        least += rows[rest, LEAST]
        most += rows[rest, MOST]
        size += 1
        left &= left - 1
    gain //= size
    pace //= size
    rows[row, GAIN] = gain
    rows[row, PACE] = pace
    rows[row, LEAST] = least // size
    rows[row, MOST] = most // size
    left = row
    while left:
        u = lowest(bits, left)
        rest = row ^ (1 << u)
        value = own[CONSTANT + u] - own[INITIAL + u] + gain - rows[rest, GAIN]
        keep(game.members, game.clock, row, u, value, own[LINEAR + u] + pace - rows[rest, PACE])
        left &= left - 1


def share_sampled(game: Game, row: int) -> None:
    """Add to each member its contribution to the sampled coalitions."""
    rows, own, weight = game.rows, game.own, game.weight
    for u in range(game.fixed[ORGANIZATIONS]):
        gain, pace = own[CONSTANT + u] - own[INITIAL + u], own[LINEAR + u]
        for sampled in range(len(weight)):
            gain += weight[sampled, u] * rows[sampled, GAIN]
            pace += weight[sampled, u] * rows[sampled, PACE]
        keep(game.members, game.clock, row, u, gain, pace)


def keep(members: Numbers, clock: Numbers, row: int, u: int, gain: int, drift: int) -> None:
    """Add a gain to φ − ψ of a member, and store its growth."""
    low = members[row, u, LOW] + gain
    members[row, u, HIGH] += low >> SHIFT
    members[row, u, LOW] = low & LOWER
    members[row, u, DRIFT] = drift
    clock[PEAK] = max(clock[PEAK], drift, -drift)
