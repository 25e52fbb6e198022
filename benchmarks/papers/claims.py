"""The document of claims: every checkable statement of the papers, what was printed, what is found.

    python -m benchmarks.papers.claims                 # the table, as docs/claims.md has it
    python -m benchmarks.papers.claims --check         # found anew where that is cheap; exit code 3 if anything differs
    python -m benchmarks.papers.claims --output docs/claims.md

`oas/studies/claims/claims.toml` has one entry for each statement. What it says was found is either recomputed by
`oas.studies.claims` (an entry in `CHECKS` under the claim's id), or read from a results file (``record``), or rests on
what ``command`` runs.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from oas.studies.claims.checking import check
from oas.studies.claims.table import VERDICTS, load, table


def document() -> str:
    """Return docs/claims.md."""
    claims = load()
    counts = ", ".join(f"{sum(claim.verdict == verdict for claim in claims)} {verdict}" for verdict in VERDICTS)
    head = (
        "# What the papers state, and what is found\n\n"
        "Written by `python -m benchmarks.papers.claims --output docs/claims.md`; not to be edited.\n\n"
        "OAS: Blanco, Guirado, Lérida, Albornoz, *MIP Model Scheduling for Multi-Clusters*. MOLBA: Pascual, Rzadca,\n"
        "Trystram, *Cooperation in Multi-organization Scheduling*. MOCCA: Dutot, Pascual, Rzadca, Trystram,\n"
        "*Approximation Algorithms for the Multi-Organization Scheduling Problem*. Reservations: Eyraud-Dubois,\n"
        "Mounié, Trystram, *Analysis of Scheduling Algorithms with Reservations*. Fair: Skowron, Rzadca,\n"
        "*Non-monetary Fair Scheduling: a Cooperative Game Theory Approach*.\n\n"
        f"{len(claims)} statements: {counts}. A theorem *holds* where no instance tried breaks it: that is no proof.\n"
        "`python -m benchmarks.papers.claims --check ID` finds the value of an id anew; where a command stands\n"
        "instead, that command does.\n\n"
    )
    return head + table(claims)


def main(arguments: list[str] | None = None) -> int:
    """Print or write the table; with ``--check``, exit code 3 if a value found now is not the one in the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("only", nargs="*", metavar="ID", help="ids or their beginnings; all if not given")
    parser.add_argument("--check", action="store_true", help="find the cheap ones anew")
    parser.add_argument("--output", type=Path, help="write the document of all claims")
    options = parser.parse_args(arguments)
    if options.output is not None:
        options.output.write_text(document(), encoding="utf-8")
        return 0
    only = options.only or None
    if not options.check:
        print(table(claim for claim in load() if only is None or any(claim.id.startswith(one) for one in only)), end="")
        return 0
    checked = check(only)
    for one in checked:
        if one.found is not None:
            print(f"{one.claim.id}: {one.found}" + ("" if one.agrees else f"  (the table says: {one.claim.found})"))
    return 0 if all(one.agrees for one in checked) else 3


if __name__ == "__main__":
    sys.exit(main())
