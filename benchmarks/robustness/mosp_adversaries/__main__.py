"""Test of the certificates of MOSP: the checker confirms no bound above the optimum, however a certificate is made.

    python -m benchmarks.robustness.mosp_adversaries --count 100000 --seed 0

A seed always makes the same certificates. Each false bound is printed with its instance. Exit code 1 if there are any.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from itertools import islice
from random import Random
from typing import TYPE_CHECKING

from benchmarks.robustness.mosp_adversaries.certificates import ADVERSARIES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.robustness.mosp_adversaries.certificates import Attempt


def attempts(name: str, seed: int) -> Iterator[Attempt]:
    """Yield the attempts of an adversary without end."""
    draw = Random(f"{name} {seed}")
    while True:
        yield from ADVERSARIES[name](draw)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100_000, help="number of attempts of each kind")
    parser.add_argument("--seed", type=int, default=0, help="of all choices")
    parser.add_argument("--only", choices=ADVERSARIES, action="append", help="this kind alone; may be repeated")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="time limit for each kind")
    options = parser.parse_args(arguments)
    print("| kind | attempts | confirmed | equal to the optimum | false | seconds |\n|---|---|---|---|---|---|")
    violations = 0
    for name in options.only or ADVERSARIES:
        begin = time.monotonic()
        count = confirmed = tight = false = 0
        for one in islice(attempts(name, options.seed), options.count):
            count, confirmed = count + 1, confirmed + (one.proven > 0)
            tight += one.proven == one.specimen.optimum
            if one.is_false:
                false += 1
                print(f"FALSE {one.name} {one.proven} > {one.specimen.optimum}", file=sys.stderr)
                print(json.dumps({"instance": one.specimen.document, "certificate": one.certificate}), file=sys.stderr)
            if time.monotonic() - begin > 60 * options.minutes:
                break
        seconds = time.monotonic() - begin
        print(f"| {name} | {count:,} | {confirmed:,} | {tight:,} | {false} | {seconds:.0f} |", flush=True)
        violations += false
    return int(violations > 0)


if __name__ == "__main__":
    sys.exit(main())
