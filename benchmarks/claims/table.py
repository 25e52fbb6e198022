"""Claims: every checkable statement of the papers, read from `claims.toml`, recomputed, and shown in Markdown."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from oas.core.errors import InputError, unknown_name

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

FILE = Path(__file__).with_name("claims.toml")
HOLDS, CORRECTED, FAILS, NOT_HERE = "holds", "holds with a correction", "fails", "not checkable here"
VERDICTS = (HOLDS, CORRECTED, FAILS, NOT_HERE)


class PaperClaim(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One statement."""

    id: str  # unique; begins with the paper and the place
    paper: str  # ``OAS``, ``MOLBA``, ``MOCCA``, ``Reservations`` or ``Fair``
    place: str  # section, proposition or figure
    statement: str  # the statement, in short
    printed: str  # the value printed, or what is claimed in words
    found: str = ""  # the value found, in the same words
    verdict: str  # one of `VERDICTS`
    remark: str = ""  # which correction, why it fails, or why it cannot be checked here
    command: str = ""  # command that computes the value; ``benchmarks.claims ID --check`` if empty
    record: str = ""  # ``file: what``: the row of a results file that holds the value


@dataclass(frozen=True)
class Checked:
    """A claim with its recomputed value; None if only `PaperClaim.command` computes it."""

    claim: PaperClaim
    found: str | None

    @property
    def agrees(self) -> bool:
        """Whether the recomputed value equals that of the table."""
        return self.found in (None, self.claim.found)


def load() -> tuple[PaperClaim, ...]:
    """Return all claims, in the order of the papers.

    Raises `InputError` if the file is invalid: a repeated id, an unknown verdict, or no correction or reason.
    """
    try:
        content = msgspec.convert(tomllib.loads(FILE.read_text(encoding="utf-8")), dict[str, list[PaperClaim]])
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise InputError(str(error), file=str(FILE)) from error
    claims = tuple(content["claims"])
    for claim in claims:
        if claim.verdict not in VERDICTS:
            raise InputError(f"known: {', '.join(VERDICTS)}", file=str(FILE), field=claim.id, value=claim.verdict)
        if claim.verdict != HOLDS and not claim.remark:
            raise InputError("a correction or a reason is needed", file=str(FILE), field=claim.id)
        if sum(other.id == claim.id for other in claims) > 1:
            raise InputError("two claims of this id", file=str(FILE), field=claim.id)
    return claims


TITLES = ("place", "statement", "printed", "found", "verdict", "remark")


def _shown_now(outcome: Checked | None) -> str:
    """Return the recomputed value for the table."""
    if outcome is None or outcome.found is None:
        return "not checked"
    return "the same" if outcome.agrees else outcome.found


def table(claims: Iterable[PaperClaim], checked: Iterable[Checked] | None = None) -> str:
    """Return the claims as Markdown, a table for each paper; with `checked`, a column gives the values found now."""
    now = None if checked is None else {outcome.claim.id: outcome for outcome in checked}
    columns = [*TITLES, "id or command", *([] if now is None else ["now"])]
    papers: dict[str, list[str]] = {}
    for claim in claims:
        cells = [getattr(claim, title) for title in TITLES]
        last = [] if now is None else [_shown_now(now.get(claim.id))]
        row = " | ".join([*cells, f"`{claim.command or claim.id}`", *last])
        papers.setdefault(claim.paper, []).append(f"| {row} |")
    head = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    return "\n\n".join("\n".join([f"## {paper}", "", *head, *rows]) for paper, rows in papers.items()) + "\n"


RESULTS = Path(__file__).parents[1] / "results"  # pages by `benchmarks.papers`


def chosen(only: Collection[str] | None = None) -> list[PaperClaim]:
    """Return the claims whose ids begin with one of these texts, such as ``mocca-5``; all by default."""
    claims = load()
    for prefix in only or ():
        if not any(claim.id.startswith(prefix) for claim in claims):
            raise unknown_name(
                prefix, [claim.id for claim in claims], "ID", reason="no claim has such an id", listed=False
            )
    return [claim for claim in claims if only is None or any(claim.id.startswith(prefix) for prefix in only)]


def check(only: Collection[str] | None = None, on_claim: Callable[[PaperClaim], None] | None = None) -> list[Checked]:
    """Recompute the values that take less than a minute in total.

    `only` is as for `chosen`; `on_claim` is called with each claim before it is checked.
    """
    outcomes = []
    for claim in chosen(only):
        if on_claim is not None:
            on_claim(claim)
        outcomes.append(Checked(claim, _found(claim)))
    return outcomes


def _found(claim: PaperClaim) -> str | None:
    if claim.record:
        name, _, what = claim.record.partition(": ")
        return recorded(name).get(what, "not in the results file")
    function = checks().get(claim.id)
    return None if function is None else function()


@cache
def checks() -> Mapping[str, Callable[[], str]]:
    """Return the functions that compute the values of claims, by id."""
    from benchmarks.claims import coallocation, fair, lists, mosp

    return {**coallocation.CHECKS, **lists.CHECKS, **mosp.CHECKS, **fair.CHECKS}


@cache
def recorded(name: str) -> Mapping[str, str]:
    """Return the values of a results page, by the first cell of the row."""
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in (RESULTS / name).read_text(encoding="utf-8").splitlines()
        if line.startswith(("| 4.", "| 7."))
    ]
    return {what: value for _, what, _, value, *_ in rows}
