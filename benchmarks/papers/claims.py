"""Print the document of claims, docs/claims.md: every checkable statement of the papers, printed and found.

    python -m benchmarks.papers.claims > docs/claims.md

`oas/studies/claims/claims.toml` has one entry for each statement. The value found is recomputed by
`oas.studies.claims` (an entry in `CHECKS` under the claim's id), read from a page of results (``record``), or found by
``command``. ``oas bench claims ID --check`` finds a value again.
"""

from __future__ import annotations

from oas.studies.claims.table import VERDICTS, load, table


def document() -> str:
    """Return docs/claims.md."""
    claims = load()
    counts = ", ".join(f"{sum(claim.verdict == verdict for claim in claims)} {verdict}" for verdict in VERDICTS)
    head = (
        "# What the papers state, and what is found\n\n"
        "Written by `python -m benchmarks.papers.claims`; not to be edited.\n\n"
        "OAS: Blanco, Guirado, Lérida, Albornoz, *MIP Model Scheduling for Multi-Clusters*. MOLBA: Pascual, Rzadca,\n"
        "Trystram, *Cooperation in Multi-organization Scheduling*. MOCCA: Dutot, Pascual, Rzadca, Trystram,\n"
        "*Approximation Algorithms for the Multi-Organization Scheduling Problem*. Reservations: Eyraud-Dubois,\n"
        "Mounié, Trystram, *Analysis of Scheduling Algorithms with Reservations*. Fair: Skowron, Rzadca,\n"
        "*Non-monetary Fair Scheduling: a Cooperative Game Theory Approach*.\n\n"
        f"{len(claims)} statements: {counts}. A theorem *holds* where no instance tried breaks it: that is no proof.\n"
        "`oas bench claims ID --check` finds the value of an id again; where a command stands instead, that command\n"
        "does. `python -m benchmarks.papers NAME` reads the ledger of `oas bench run benchmarks/NAME.toml`.\n\n"
    )
    return head + table(claims)


if __name__ == "__main__":
    print(document(), end="")
