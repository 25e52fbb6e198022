"""Deliberate bugs in the log of the complete search of co-allocation and in its checker, with the tests that notice."""

from __future__ import annotations

from benchmarks.bugs.bug import Bug

FOLDER = "tests/bounds/coallocation/search_log"
CHECKED = (f"{FOLDER}/test_certificate.py",)
FORGED = (f"{FOLDER}/test_forging.py",)
PAIRS = (f"{FOLDER}/test_apart.py",)
STATES = (f"{FOLDER}/test_states.py",)

REPLAY = "oas/bounds/coallocation/search_log/replay.py"
CERTIFICATE = "oas/bounds/coallocation/search_log/certificate.py"
APART = "oas/bounds/coallocation/search_log/apart.py"
KERNELS = "oas/exact/coallocation/chronological/kernels.py"
LOG = "oas/exact/coallocation/chronological/log.py"

BUGS = (
    Bug(
        "the checker: a job may not end at the horizon",
        REPLAY,
        "level < rules.fastest[job] or end > horizon",
        "level < rules.fastest[job] or end >= horizon",
        FORGED,
    ),
    Bug(
        "the checker: a middle in the very middle is too late to begin",
        REPLAY,
        "path.time[row] + end > horizon",
        "path.time[row] + end >= horizon",
        FORGED,
    ),
    Bug(
        "what just makes it is late",
        REPLAY,
        "return time + shortest > rules.facts[0]",
        "return time + shortest >= rules.facts[0]",
        FORGED,
    ),
    Bug(
        "a job that runs is late",
        REPLAY,
        "    if path.begun[job] >= 0:\n        return False\n    return",
        "    return",
        FORGED,
    ),
    Bug(
        "a budget that is used up is exceeded",
        REPLAY,
        "extra(rules, job, level, one) > rules.budget[one]",
        "extra(rules, job, level, one) >= rules.budget[one]",
        FORGED,
    ),
    Bug(
        "waste up to the budget closes a branch",
        REPLAY,
        "wasted_until(rules, path, row, then, code - 1) <= rules.budget",
        "wasted_until(rules, path, row, then, code - 1) < rules.budget",
        FORGED,
    ),
    Bug("what runs is taken for idle", REPLAY, "idle -= rules.weights", "idle -= 0 * rules.weights", FORGED),
    Bug("a branch ends where jobs run", REPLAY, "                if then >= 0:", "                if False:", FORGED),
    Bug("any moment dominates", REPLAY, "same = same and states.key[place, word] == key[word]", "same = True", STATES),
    Bug(
        "a later moment dominates",
        REPLAY,
        "if not 0 <= states.time[place] <= time:",
        "if not 0 <= states.time[place]:",
        STATES,
    ),
    Bug(
        "a moment that was not left dominates",
        REPLAY,
        "if not 0 <= states.time[place] <= time:",
        "if not states.time[place] <= time:",
        STATES,
    ),
    Bug(
        "how long jobs still run is no part of a state",
        REPLAY,
        "job * len(rules.room) + path.level[job], rest",
        "job * len(rules.room) + path.level[job], 0",
        STATES,
    ),
    Bug("which nodes are held is no part of a state", REPLAY, "path.held[job, one] << 15 * (one % 4)", "0", STATES),
    Bug(
        "jobs that wait are no part of a state",
        REPLAY,
        "key[job // 60] |= 1 << job % 60",
        "key[job // 60] |= 0",
        STATES,
    ),
    Bug(
        "what had no nodes before had no reason to wait",
        REPLAY,
        "if path.held[job, one] > path.free[side, one]:",
        "if side == 1 and path.held[job, one] > path.free[side, one]:",
        FORGED,
    ),
    Bug(
        "what had no link before had no reason to wait",
        REPLAY,
        "> path.link_free[side, cluster]:",
        "> path.link_free[side, cluster] and side == 1:",
        STATES,
    ),
    Bug(
        "nodes that end at the moment were free before",
        REPLAY,
        "return start < now <= end",
        "return start < now < end",
        CHECKED,
    ),
    Bug(
        "the last choice of nodes is left out",
        REPLAY,
        "moved = own > 0 and spare > 0",
        "moved = own > 0 and spare > 1",
        FORGED,
    ),
    Bug(
        "a link is full before it is",
        REPLAY,
        "if load_of(rules, path, job, cluster) > path",
        "if load_of(rules, path, job, cluster) >= path",
        FORGED,
    ),
    Bug(
        "a level is full before it is",
        REPLAY,
        "below + rules.tasks[job] > rules.room[other]",
        "below + rules.tasks[job] >= rules.room[other]",
        FORGED,
    ),
    Bug(
        "a log may end early",
        REPLAY,
        "return TOO_SHORT, at\n                code, at = int(log[at]), at + 1\n                if",
        "return REFUTED, at\n                code, at = int(log[at]), at + 1\n                if",
        CHECKED,
    ),
    Bug(
        "bytes may be left over",
        REPLAY,
        "return REFUTED if at == len(log) else TOO_SHORT, at",
        "return REFUTED, at",
        CHECKED,
    ),
    Bug("a whole schedule closes its branch", REPLAY, "if begun == jobs or limit < 0:", "if limit < 0:", FORGED),
    Bug("weights are believed", CERTIFICATE, "floor=whole).weight > whole:", "floor=whole).weight > 2**90:", CHECKED),
    Bug("pairs are believed", CERTIFICATE, "or can_run_together(scaled, first, second):", "or False:", CHECKED),
    Bug(
        "an order may name a job twice",
        CERTIFICATE,
        "if sorted(order) != list(range(scaled.job_count)):",
        "if not order:",
        CHECKED,
    ),
    Bug(
        "one tick more is claimed", CERTIFICATE, "scaled.to_time(makespan + 1)", "scaled.to_time(makespan + 2)", CHECKED
    ),
    Bug(
        "a budget has a tick to spare less",
        CERTIFICATE,
        "budget=_array([makespan * whole",
        "budget=_array([(makespan - 1) * whole",
        FORGED,
    ),
    Bug(
        "two that fill a link do not fit",
        APART,
        "loads[count] + besides[b] <= link",
        "loads[count] + besides[b] < link",
        PAIRS,
    ),
    Bug(
        "two that fill a cluster do not fit",
        APART,
        "min(room - count, more) + 1",
        "min(room - count - 1, more) + 1",
        PAIRS,
    ),
    Bug(
        "the faster of two may use slow nodes",
        APART,
        "fast = sum(size for at, size in sizes if at <= level)",
        "fast = sum(size for at, size in sizes)",
        PAIRS,
    ),
    Bug(
        "the log forgets what it has seen",
        LOG,
        "self._seen = np.union1d(self._seen, self.table.seen[:seen])",
        "pass",
        CHECKED,
    ),
    Bug(
        "the log numbers moments from one",
        KERNELS,
        "                log.numbers[slot] = state[MOMENTS]\n            return -1\n        same",
        "                log.numbers[slot] = state[MOMENTS] + 1\n            return -1\n        same",
        CHECKED,
    ),
    Bug(
        "the log leaves out what waste closes",
        KERNELS,
        "            write_code(log, code)\n            possible = code == OPEN",
        "            possible = code == OPEN",
        CHECKED,
    ),
    Bug("the log names another job as late", KERNELS, "write_number(log, job)", "write_number(log, 0)", CHECKED),
)
