"""Show the claims of the papers, the printed and the computed values, and the verdicts.

python -m benchmarks.claims
python -m benchmarks.claims mocca-7
python -m benchmarks.claims molba --check
python -m benchmarks.claims --page --output docs/claims.md
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.claims import table
from benchmarks.common import write_page
from oas.core.errors import OasError


def page() -> str:
    """Return docs/claims.md: every checkable statement of the papers, printed and found.

    The file `claims.toml` has one entry for each statement, with the value found: recomputed by `benchmarks.claims`,
    read from a page of results (``record``), or found by ``command``.
    """
    claims = table.load()
    counts = ", ".join(f"{sum(claim.verdict == verdict for claim in claims)} {verdict}" for verdict in table.VERDICTS)
    head = (
        "# Claims of the papers and findings\n\n"
        "<!-- Written by `python -m benchmarks.claims --page`; do not edit. -->\n\n"
        "OAS: Blanco, Guirado, Lérida, Albornoz, *MIP Model Scheduling for Multi-Clusters*. MOLBA: Pascual, Rzadca,\n"
        "Trystram, *Cooperation in Multi-organization Scheduling*. MOCCA: Dutot, Pascual, Rzadca, Trystram,\n"
        "*Approximation Algorithms for the Multi-Organization Scheduling Problem*. Reservations: Eyraud-Dubois,\n"
        "Mounié, Trystram, *Analysis of Scheduling Algorithms with Reservations*. Fair: Skowron, Rzadca,\n"
        "*Non-monetary Fair Scheduling: a Cooperative Game Theory Approach*.\n\n"
        f"{len(claims)} statements: {counts}. A theorem *holds* if no tested instance\n"
        "violates it; this is not a proof. `python -m benchmarks.claims ID --check` recomputes the value of an id;\n"
        "otherwise the given command does. `python -m benchmarks.papers NAME` reads the ledger of\n"
        "`oas bench run benchmarks/NAME.toml`.\n\n"
    )
    return head + table.table(claims)


def main(arguments: list[str] | None = None) -> int:
    """Print claims, or write them to a file. Exit code 2 for an unknown id, 3 if a recomputed value differs."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.claims",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("only", nargs="*", metavar="ID", help="ids of claims, or prefixes; default: all claims")
    parser.add_argument("--check", action="store_true", help="recompute all quick results")
    parser.add_argument("--page", action="store_true", help="print the page docs/claims.md instead")
    parser.add_argument("--output", type=Path, help="Markdown file to write; stdout if not given")
    options = parser.parse_args(arguments)
    if options.page and (options.only or options.check):
        parser.error("the page has all claims as they are recorded")
    only = options.only or None
    try:
        checked = table.check(only, lambda claim: print(claim.id, file=sys.stderr)) if options.check else None
        write_page(page() if options.page else table.table(table.chosen(only), checked), options.output)
    except (OasError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0 if all(claim.agrees for claim in checked or ()) else 3


if __name__ == "__main__":
    sys.exit(main())
