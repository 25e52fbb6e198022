"""Invented certificates against enumeration: no checker may confirm anything above an optimum.

    python -m benchmarks.robustness.invented --attempts 100000 --seed 0

Prints a row for each kind. Instance number i of a kind and seed is always the same; a fault is printed with its
instance. Exit code 1 after a fault.
"""

from __future__ import annotations

import argparse
import sys
import time
from itertools import count
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.robustness.invented.configurations import attack_configurations, attack_fits
from benchmarks.robustness.invented.fair import attack_reference
from benchmarks.robustness.invented.plain import attack_enumeration, attack_simple
from benchmarks.robustness.invented.shared_links import attack_shared_links

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from benchmarks.robustness.invented.targets import Attempt

ATTACKS: dict[str, Callable[[Random, int], Iterator[Attempt]]] = {
    "area, longest job, wide jobs": attack_simple,
    "enumeration": attack_enumeration,
    "jobs that cannot run together": attack_fits,
    "configurations": attack_configurations,
    "shared links": attack_shared_links,
    "REF": attack_reference,
}
STEPS = 60  # changes of weights on one instance, approximately


class Outcome(NamedTuple):
    """Numbers of instances and attempts, of confirmed ones and those that meet an optimum, and the faults."""

    instances: int
    attempts: int
    confirmed: int
    met: int
    faults: list[str]


def run(kind: str, seed: int, attempts: int, most_faults: int = 10) -> Outcome:
    """Attack instances of a seed until either number is reached."""
    made = confirmed = met = 0
    faults: list[str] = []
    for index in count():
        if made >= attempts or len(faults) >= most_faults:
            return Outcome(index, made, confirmed, met, faults)
        for one in ATTACKS[kind](Random(f"{kind} {seed} {index}"), STEPS):
            made, confirmed, met = made + 1, confirmed + one.confirmed, met + one.met
            if one.fault:
                faults.append(f"instance {index}: {one.fault}")
    raise AssertionError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", choices=ATTACKS, action="append", help="this kind only; may be repeated")
    parser.add_argument("--attempts", type=int, default=10_000, help="of each kind")
    parser.add_argument("--seed", type=int, default=0, help="of the instances")
    options = parser.parse_args(arguments)
    faults = 0
    print(
        "| kind | instances | attempts | confirmed | meet the optimum | faults | seconds |", "|---" * 7 + "|", sep="\n"
    )
    for kind in options.kind or ATTACKS:
        began = time.monotonic()
        found = run(kind, options.seed, options.attempts)
        cells = [f"{number:,}" for number in (*found[:4], len(found.faults), round(time.monotonic() - began))]
        print(f"| {kind} | {' | '.join(cells)} |", flush=True)
        for fault in found.faults:
            print(f"FAULT, {kind}, seed {options.seed}, {fault}", file=sys.stderr)
        faults += len(found.faults)
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
