"""Deliberate bugs in organizations alone, without local schedules, and in what reservations leave them."""

from __future__ import annotations

from benchmarks.bugs.bug import Bug

VERIFIER = ("tests/problems/mosp/test_rules.py",)
ALONE = ("tests/problems/mosp/test_instance.py",)
CLASSES = ("tests/problems/mosp/test_availability.py",)
FILES = ("tests/io/test_mosp_files.py",)
PROFILE = ("tests/heuristics/mosp/test_profile.py",)

RULES = "oas/problems/mosp/rules.py"
INSTANCE = "oas/problems/mosp/instance.py"
RUNS = "oas/problems/mosp/runs.py"
LOCAL = "oas/problems/mosp/local.py"
RIGID = "oas/problems/rigid.py"
AVAILABILITY = "oas/problems/mosp/availability.py"

BUGS = (
    # The verifier, and the check of an organization
    Bug(
        "the right end of a reservation is inclusive",
        RULES,
        "events += [(one.end, -1, -one.processors)",
        "events += [(one.end + Fraction(1, 10**40), -1, -one.processors)",
        VERIFIER,
    ),
    Bug(
        "a reservation that is over still holds its processors",
        RULES,
        "reservations += change\n",
        "reservations += max(change, 0)\n",
        VERIFIER,
    ),
    Bug(
        "a clash names the jobs that have ended too",
        RULES,
        "running ^= {index}",
        "running |= {index}",
        ALONE,
    ),
    Bug(
        "an organization looks at each reservation alone",
        RIGID,
        "for moment, held in usage if held > self.processors}",
        "for moment, held in usage if max(r.processors for r in self.reservations) > self.processors}",
        FILES,
    ),
    Bug(
        "changes at one moment are counted apart",
        RIGID,
        "if following < 0 or keys[following] != keys[place]:",
        "if True:",
        CLASSES,
    ),
    # No local schedules
    Bug(
        "an organization alone is list-scheduled",
        LOCAL,
        "return None if organizations == 1 and locality is None else DEFAULT_POLICY",
        "return DEFAULT_POLICY",
        ALONE,
    ),
    Bug(
        "several organizations without locality have no local schedules",
        LOCAL,
        "return None if organizations == 1 and locality is None else",
        "return None if locality is None else",
        ALONE,
    ),
    Bug(
        "the digest without local schedules forgets reservations",
        INSTANCE,
        "one.processors) for one in organization.reservations]\n            for job",
        "one.processors) for one in organization.reservations if starts is not None]\n            for job",
        ALONE,
    ),
    Bug(
        "digests with and without local schedules are of one version",
        INSTANCE,
        '"mosp", 2 if starts is None else 1, self',
        '"mosp", 1, self',
        ALONE,
    ),
    Bug(
        "a file says local schedules that the instance does not carry",
        "oas/io/mosp.py",
        "local=msgspec.UNSET if local is None else",
        "local={} if local is None else",
        FILES,
    ),
    Bug(
        "a file without local schedules is held against the limit on list scheduling",
        "oas/io/mosp.py",
        "default_policy(len(document.organizations), document.locality) if local is None else local",
        '"HF" if local is None else local',
        ALONE,
    ),
    Bug(
        "a search without local schedules begins in the reservations",
        RUNS,
        "begin = max((*scaled.releases, *ends))",
        "begin = max(scaled.releases)",
        ALONE,
    ),
    # The classes of the paper
    Bug(
        "α is taken though a job is wider",
        AVAILABILITY,
        "if not self.least_free or self.widest > self.least_free:",
        "if not self.least_free:",
        CLASSES,
    ),
    Bug(
        "a job of all that is always free is too wide for α",
        AVAILABILITY,
        "self.widest > self.least_free",
        "self.widest >= self.least_free",
        CLASSES,
    ),
    Bug(
        "α is 0 where the whole cluster is reserved",
        AVAILABILITY,
        "if not self.least_free or self.widest",
        "if self.widest",
        CLASSES,
    ),
    Bug(
        "reservations that begin at 0 are non-increasing however they go on",
        AVAILABILITY,
        "all(before < after for (_, before), (_, after) in pairwise(self.steps))",
        "all(before < after for (_, before), (_, after) in [*pairwise(self.steps)][:1])",
        CLASSES,
    ),
    Bug(
        "at the end of a reservation its processors are not free yet",
        AVAILABILITY,
        "bisect_right(self.steps, found,",
        "bisect_right(self.steps, found - Fraction(1, 10**40),",
        CLASSES,
    ),
    Bug(
        "before a reservation from 0 on the whole cluster is free for no time",
        AVAILABILITY,
        "            if moment == steps[-1][0]:\n",
        "            if False:\n",
        CLASSES,
    ),
    # What methods make of reservations
    Bug(
        "reservations are taken from where the one before began, in whatever order",
        "heuristics/mosp/capacity/profile.py",
        "ordered = sorted(blocks, key=itemgetter(1))",
        "ordered = list(blocks)",
        PROFILE,
    ),
    Bug(
        "reservations of one cluster are taken on another",
        "heuristics/mosp/capacity/kernels.py",
        "        k = clusters[run]\n",
        "        k = 0\n",
        PROFILE,
    ),
)
