"""The values of claims found anew, where that is cheap, or read from the results of the papers' experiments."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from oas.core.names import unknown_name
from oas.studies.claims.table import Checked, PaperClaim, load

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

# Pages of results by `benchmarks.papers`: the wheel has copies of those that claims name.
_COPIED = Path(__file__).with_name("results")
RESULTS = _COPIED if _COPIED.exists() else Path(__file__).parents[3] / "benchmarks" / "results"


def chosen(only: Collection[str] | None = None) -> list[PaperClaim]:
    """Return the claims of these ids, or of ids that begin so such as ``mocca-5``; all by default.

    Raises
    ------
    InputError
        If nothing has one of them.
    """
    claims = load()
    for one in only or ():
        if not any(claim.id.startswith(one) for claim in claims):
            raise unknown_name(
                one, [claim.id for claim in claims], "ID", reason="no claim has such an id", listed=False
            )
    return [claim for claim in claims if only is None or any(claim.id.startswith(one) for one in only)]


def check(only: Collection[str] | None = None, on_claim: Callable[[PaperClaim], None] | None = None) -> list[Checked]:
    """Find the values anew that are cheap to find: less than a minute in all.

    Parameters
    ----------
    only
        As for `chosen`.
    on_claim
        Told of each claim before it is checked.

    Raises
    ------
    InputError
        If nothing has one of them.
    """
    found = []
    for claim in chosen(only):
        if on_claim is not None:
            on_claim(claim)
        found.append(Checked(claim, _found(claim)))
    return found


def _found(claim: PaperClaim) -> str | None:
    if claim.record:
        name, _, what = claim.record.partition(": ")
        return recorded(name).get(what, "not in the results file")
    function = checks().get(claim.id)
    return None if function is None else function()


@cache
def checks() -> Mapping[str, Callable[[], str]]:
    """Return what finds each claim's value, by its id."""
    from oas.studies.claims import coallocation, fair, lists, mosp, reservations

    return {**coallocation.CHECKS, **lists.CHECKS, **mosp.CHECKS, **reservations.CHECKS, **fair.CHECKS}


@cache
def recorded(name: str) -> Mapping[str, str]:
    """Return what a results file has found, by what the row is of."""
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in (RESULTS / name).read_text(encoding="utf-8").splitlines()
        if line.startswith(("| 4.", "| 7."))
    ]
    return {what: found for _, what, _, found, *_ in rows}
