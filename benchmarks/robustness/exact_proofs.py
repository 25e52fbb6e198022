"""Test of proof logs of co-allocation: changed proofs of Exact never prove a makespan to be out of reach that is not.

    python -m benchmarks.robustness.exact_proofs --count 20000 --seed 0

Exact refutes a makespan of a tiny instance, or of one with fewer nodes, less bandwidth or longer jobs, which has much
the same rows. The proof, with some bytes changed, is then offered for makespans of the instance that schedules reach. A
seed always makes the same attempts. Each false bound is printed with its instance. Exit code 1 if there are any.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from contextlib import redirect_stdout
from dataclasses import replace
from fractions import Fraction
from io import StringIO
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.robustness.mosp_adversaries.proof_logs import changed_steps, packed
from oas.checker.coallocation_instance import read_coallocation
from oas.checker.coallocation_proof_log import check_coallocation_proof_log
from oas.checker.reading import DecimalText, Refused
from oas.coallocation.allocations import jobs_without_allocation
from oas.coallocation.generate.tiny import tiny
from oas.coallocation.models import runs_exact
from oas.io.writing import dumps
from oas.solvers import exact_child
from oas.solvers.veripb import Proof
from oas.solving.brute_force import brute_force

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oas.coallocation.instance import CoallocationInstance

EACH = 40  # attempts by one proof
MOST_TICKS = 60


class Attempt(NamedTuple):
    """The bound that the checker computes for an instance; 0 if it refuses the certificate."""

    document: str
    certificate: dict[str, Any]
    proven: Fraction
    optimum: Fraction
    control: bool  # whether the makespan is in fact out of reach


def steps_of(instance: CoallocationInstance, makespan: int, lower_bound: int = 0) -> bytes | None:
    """Return the steps by which Exact refutes a makespan in ticks; None if there is a schedule."""
    spec = runs_exact.prepare(instance, instance.scaled(), makespan, lower_bound)
    question = runs_exact.build(spec).question(makespan)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, exact_child.QUESTION).write_text(json.dumps(question._asdict()))
        with redirect_stdout(StringIO()):
            code = exact_child.main(folder, "0")
        if code != exact_child.REFUTED:
            return None
        with Path(folder, exact_child.PROOF).open(encoding="ascii") as lines:
            return Proof(lines, len(question.rows)).steps()


def harder(draw: Random, instance: CoallocationInstance) -> CoallocationInstance:
    """Return the instance with fewer nodes, less bandwidth or a longer job."""
    clusters, jobs = list(instance.clusters), list(instance.jobs)
    at, job = draw.randrange(len(clusters)), draw.randrange(len(jobs))
    cluster, kind = clusters[at], draw.randrange(3)
    group = cluster.groups[0]
    if kind == 0 and group.count > 1:
        clusters[at] = replace(cluster, groups=(replace(group, count=group.count - 1), *cluster.groups[1:]))
        if sum(one.size for one in clusters) < max(one.tasks for one in jobs):
            return instance
    elif kind == 1:
        clusters[at] = replace(cluster, bandwidth=cluster.bandwidth * Fraction(draw.randint(0, 4), 5))
    else:
        jobs[job] = replace(jobs[job], base_time=jobs[job].base_time + (instance.slot or jobs[job].base_time))
    return replace(instance, clusters=tuple(clusters), jobs=tuple(jobs))


def attempts(seed: int) -> Iterator[Attempt]:
    """Yield attempts without end."""
    draw = Random(seed)
    while True:
        instance = tiny(seed=draw.randrange(10**9), jobs=5)
        document = dumps(instance).decode()
        own = read_coallocation(json.loads(document, parse_float=DecimalText))
        optimum, _ = brute_force(instance)
        least = int(optimum / own.ticks.tick)
        if least > MOST_TICKS:
            continue
        proofs = [steps_of(instance, least - 1)]
        for _ in range(3):
            other = harder(draw, instance)
            if not jobs_without_allocation(other.scaled()):
                proofs += [steps_of(other, makespan) for makespan in (least, least + 1)]
        for steps in filter(None, proofs):
            for number in range(EACH):
                changed = steps if number == 0 else changed_steps(draw, changed_steps(draw, steps))
                for makespan in (least - 1, least, least + 1):
                    certificate = {"makespan": makespan, "steps": packed(changed)}
                    try:
                        proven = check_coallocation_proof_log(own, certificate)
                    except Refused:
                        proven = Fraction(0)
                    yield Attempt(document, certificate, proven, optimum, makespan < least)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=20_000, help="number of attempts for makespans within reach")
    parser.add_argument("--seed", type=int, default=0, help="of all choices")
    options = parser.parse_args(arguments)
    count = controls = confirmed = false = 0
    for one in attempts(options.seed):
        controls, confirmed = controls + one.control, confirmed + (one.control and one.proven > 0)
        count += not one.control
        if one.proven > one.optimum:
            false += 1
            print(f"FALSE {one.proven} > {one.optimum}", file=sys.stderr)
            print(json.dumps({"instance": one.document, "certificate": one.certificate}), file=sys.stderr)
        if count >= options.count:
            break
    print("| attempts | false | of makespans out of reach | confirmed |\n|---|---|---|---|")
    print(f"| {count:,} | {false} | {controls:,} | {confirmed:,} |")
    return int(false > 0)


if __name__ == "__main__":
    sys.exit(main())
