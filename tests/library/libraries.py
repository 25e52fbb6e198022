"""Small libraries for tests, with true results."""

import gzip
import json
from dataclasses import replace
from fractions import Fraction

import msgspec

import oas
from benchmarks.library_update import create
from oas.core.result import Bound, Claim, Proof, ProofKind, Result, Status, Termination
from oas.io.library_index import Entry, Index, Origin
from oas.library.checking import sizes_of
from oas.library.origins import make
from oas.logs.slices import Slice, recipe_of, write_recipe
from oas.logs.swf import read_swf
from oas.solving.lower_bound import best_bound
from oas.solving.start import heuristic_schedules

TODAY = "2026-11-21"

LOG = "\n".join(
    [
        "; Version: 2.2",
        "; Computer: a toy",
        "; Acknowledge: nobody",
        "; MaxProcs: 8",
        *(
            f"{n} {10 * n} 0 {7 + (5 * n) % 23} {1 + (3 * n) % 8} -1 -1 -1 -1 -1 1 {1 + n % 3} 1 1 1 1 -1 -1"
            for n in range(1, 31)
        ),
    ]
)


def log_in(folder):
    """The toy log, as read from a file."""
    path = folder / "toy.swf"
    path.write_text(LOG, encoding="ascii")
    return read_swf(path)


def entry_of(name, origin, logs=None):
    instance = make(origin, logs or {})
    return Entry(
        name=name,
        problem=instance.problem.name,
        group="test",
        origin=origin,
        digest=instance.digest,
        jobs=len(instance.jobs),
        clusters=sizes_of(instance),
    )


def slice_of(log, name="toy-n12"):
    recipe = json.loads(write_recipe(recipe_of(log, Slice(organizations=3, count=12, processors=None))))
    return entry_of(name, Origin(recipe=recipe), {log.sha256: log})


def small_library(folder, *more):
    """A library of one instance of co-allocation and two of MOSP, without results."""
    uni = {"jobs": 12, "organizations": 3, "processors": 16, "seed": 5}
    entries = [
        entry_of("grid", Origin(generator="section4", parameters={"seed": 0, "slot_percent": 50})),
        entry_of("uni", Origin(generator="uni", parameters=uni)),
        entry_of("free", Origin(generator="uni", parameters=uni, locality="none")),
    ]
    folder.mkdir(parents=True, exist_ok=True)
    return create(folder, Index(version=1, edition=1, title="for tests", entries=[*entries, *more]))


def schedules(instance):
    """Return heuristic schedules of different makespans, the longest first."""
    by_length = {schedule.makespan: schedule for _, schedule in heuristic_schedules(instance)}
    return [by_length[length] for length in sorted(by_length, reverse=True)]


def claims_of(bound):
    """Claims of two different runs."""
    claim = Claim("highs", "1.15.1", "start-indexed", Fraction(bound))
    return claim, replace(claim, run="presolve=off")


def result_of(instance, schedule, bound=None, claim=None):
    """A result with this schedule, the certified bound (the best cheap one if none is given), and two claims."""
    bound = bound or best_bound(instance)
    claims = () if claim is None else claims_of(claim)
    kind = ProofKind.SOLVER if claims and claims[0].bound > bound.value else ProofKind.CERTIFICATE
    lowest = max(bound.value, *(one.bound for one in claims)) if claims else bound.value
    return Result(
        status=Status.OPTIMAL if schedule is not None and schedule.makespan == lowest else Status.FEASIBLE,
        termination=Termination.FINISHED,
        schedule=schedule,
        lower_bound=lowest,
        proof=Proof(kind, bound, claims),
        instance_digest=instance.digest,
        seconds={"total": 1.25},
        versions={"oas-scheduling": oas.__version__},
    )


def weak_bound(instance):
    """A certified bound below the best one."""
    best = best_bound(instance)
    return Bound(best.name, best.value - 1, {})


def unpacked(path):
    return json.loads(gzip.decompress(path.read_bytes()))


def changed_index(folder, change):
    """Edit the index by hand, as a forger would."""
    path = folder / "index.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    change(content)
    path.write_bytes(msgspec.json.encode(content))


def snapshot(folder):
    """Every file of a folder, by its path inside."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
