"""The table of claims: every checkable statement of the OAS and MOSP papers, what was printed, what is found.

    python -m benchmarks.papers.claims                 # the table, as docs/claims.md has it
    python -m benchmarks.papers.claims --check         # found anew where that is cheap; exit code 3 if anything differs
    python -m benchmarks.papers.claims --output docs/claims.md

`claims.toml` has one entry for each statement. What it says was found is either recomputed here (an entry in `CHECKS`
under the claim's id), or read from a results file (``record``), or rests on what ``command`` runs.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from oas.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

FILE = Path(__file__).with_name("claims.toml")
RESULTS = Path(__file__).parents[1] / "results"
HOLDS, CORRECTED, FAILS, NOT_HERE = "holds", "holds with a correction", "fails", "not checkable here"
VERDICTS = (HOLDS, CORRECTED, FAILS, NOT_HERE)


class Claim(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One statement.

    Attributes
    ----------
    id
        Unique; begins with the paper and the place.
    paper
        ``OAS``, ``MOCCA`` or ``MOLBA``.
    place
        Section, proposition or figure.
    statement
        What it says, in short.
    printed
        The value printed, or what is claimed in words.
    found
        The value found, in the same words.
    verdict
        Of `VERDICTS`.
    remark
        Which correction, why it fails, or why it cannot be checked here.
    command
        What finds the value; `python -m benchmarks.papers.claims --check ID` where empty.
    record
        ``file: what``: the row of a results file that holds the value.
    """

    id: str
    paper: str
    place: str
    statement: str
    printed: str
    found: str = ""
    verdict: str
    remark: str = ""
    command: str = ""
    record: str = ""


@dataclass(frozen=True)
class Checked:
    """A claim, and its value found anew; None where finding it takes long (`Claim.command` does)."""

    claim: Claim
    found: str | None

    @property
    def agrees(self) -> bool:
        """Whether what is found now is what the table says."""
        return self.found in (None, self.claim.found)


def load() -> tuple[Claim, ...]:
    """Return all claims, in the order of the papers.

    Raises
    ------
    InputError
        If the file is wrong: an id twice, an unknown verdict, a correction or reason left out.
    """
    try:
        content = msgspec.convert(tomllib.loads(FILE.read_text(encoding="utf-8")), dict[str, list[Claim]])
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise InputError(str(error), file=str(FILE)) from error
    claims = tuple(content["claims"])
    for claim in claims:
        if claim.verdict not in VERDICTS:
            raise InputError(f"known: {', '.join(VERDICTS)}", file=str(FILE), field=claim.id, value=claim.verdict)
        if claim.verdict != HOLDS and not claim.remark:
            raise InputError("a correction or a reason is needed", file=str(FILE), field=claim.id)
        if sum(one.id == claim.id for one in claims) > 1:
            raise InputError("two claims of this id", file=str(FILE), field=claim.id)
    return claims


def check(only: Collection[str] | None = None, on_claim: Callable[[Claim], None] | None = None) -> list[Checked]:
    """Find the values anew that are cheap to find: less than a minute in all.

    Parameters
    ----------
    only
        Ids, or beginnings of them such as ``mocca-5``; all by default.
    on_claim
        Told of each claim before it is checked.

    Raises
    ------
    InputError
        If nothing has such an id.
    """
    chosen = [claim for claim in load() if only is None or any(claim.id.startswith(one) for one in only)]
    if not chosen:
        raise InputError("no claim has such an id", field="only", value=", ".join(only or ()))
    found = []
    for claim in chosen:
        if on_claim is not None:
            on_claim(claim)
        found.append(Checked(claim, _found(claim)))
    return found


def _found(claim: Claim) -> str | None:
    if claim.record:
        name, _, what = claim.record.partition(": ")
        return recorded(name).get(what, "not in the results file")
    function = checks().get(claim.id)
    return None if function is None else function()


@cache
def checks() -> Mapping[str, Callable[[], str]]:
    """Return what finds each claim's value, by its id."""
    from benchmarks.papers import claims_lists, claims_mosp, claims_oas

    return {**claims_oas.CHECKS, **claims_lists.CHECKS, **claims_mosp.CHECKS}


@cache
def recorded(name: str) -> Mapping[str, str]:
    """Return what a results file has found, by what the row is of."""
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in (RESULTS / name).read_text(encoding="utf-8").splitlines()
        if line.startswith(("| 4.", "| 7."))
    ]
    return {what: found for _, what, _, found, *_ in rows}


def table(claims: Iterable[Claim], checked: Iterable[Checked] | None = None) -> str:
    """Return the claims as Markdown, a table for each paper.

    Parameters
    ----------
    claims
        In the order they are to stand in.
    checked
        If given, a column says what is found now.
    """
    now = None if checked is None else {one.claim.id: one for one in checked}
    by_paper: dict[str, list[Claim]] = {}
    for claim in claims:
        by_paper.setdefault(claim.paper, []).append(claim)
    heading = ["place", "statement", "printed", "found", "verdict", "remark", "id or command"]
    parts = []
    for paper, own in by_paper.items():
        columns = [*heading, *(["now"] if now is not None else [])]
        lines = [f"## {paper}", "", f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
        for claim in own:
            where = f"`{claim.command or claim.id}`"
            cells = [claim.place, claim.statement, claim.printed, claim.found, claim.verdict, claim.remark, where]
            if now is not None:
                cells.append(_said(now.get(claim.id)))
            lines.append(f"| {' | '.join(cells)} |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _said(one: Checked | None) -> str:
    if one is None or one.found is None:
        return "not checked"
    return "the same" if one.agrees else one.found


def document() -> str:
    """Return docs/claims.md."""
    claims = load()
    counts = ", ".join(f"{sum(claim.verdict == verdict for claim in claims)} {verdict}" for verdict in VERDICTS)
    head = (
        "# What the papers state, and what is found\n\n"
        "Written by `python -m benchmarks.papers.claims --output docs/claims.md`; not to be edited.\n\n"
        "OAS: Blanco, Guirado, Lérida, Albornoz, *MIP Model Scheduling for Multi-Clusters*. MOLBA: Pascual, Rzadca,\n"
        "Trystram, *Cooperation in Multi-organization Scheduling*. MOCCA: Dutot, Pascual, Rzadca, Trystram,\n"
        "*Approximation Algorithms for the Multi-Organization Scheduling Problem*.\n\n"
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
