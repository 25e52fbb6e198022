"""LP files parsed and sorted, so that two of them are equal exactly when they state the same model by the same names.

A stored file pins a formulation: whoever changes a row, a bound or a domain has to say so by storing it anew
(`python -m tests.models.pinned`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_SECTIONS = {
    "min": "objective",
    "minimize": "objective",
    "max": "maximize",
    "maximize": "maximize",
    "s.t.": "rows",
    "subject to": "rows",
    "bounds": "bounds",
    "binary": "binary",
    "general": "general",
    "end": "end",
}
_RELATIONS = ("<=", ">=", "=")


@dataclass
class LinearModel:
    """What an LP file says.

    Attributes
    ----------
    rows
        By name: the objective under "min", each constraint under its own name; terms sorted by variable, then the
        relation and the right-hand side.
    bounds, domains
        By variable; a bound as written, blanks apart.
    """

    rows: dict[str, str] = field(default_factory=dict)
    bounds: dict[str, str] = field(default_factory=dict)
    domains: dict[str, str] = field(default_factory=dict)

    def lines(self) -> list[str]:
        """Everything, one fact a line, sorted: the form that is compared."""
        return sorted(
            f"{kind} {name}: {text}"
            for kind, facts in (("row", self.rows), ("bound", self.bounds), ("domain", self.domains))
            for name, text in facts.items()
        )


def lp_lines(text: str) -> list[str]:
    """Return what an LP file says, one fact a line, sorted."""
    return parse_lp(text).lines()


def assert_same_model(text: str, stored: Path) -> None:
    """Fail, naming up to twenty facts on each side, if `text` states another model than the stored file."""
    built, kept = set(lp_lines(text)), set(lp_lines(stored.read_text(encoding="utf-8")))
    gone, new = sorted(kept - built)[:20], sorted(built - kept)[:20]
    assert built == kept, "\n".join(
        [f"not the model of {stored.name}", *(f"- {x}" for x in gone), *map("+ {}".format, new)]
    )


def parse_lp(text: str) -> LinearModel:
    """Read an LP file as Pyomo writes it: a row's name, its terms, and its relation on lines of their own."""
    model = LinearModel()
    for section, lines in _sections(text):
        if section in ("objective", "rows"):
            for name, body in _named(lines):
                _add(model.rows, "min" if section == "objective" else name, _row(body))
        elif section == "bounds":
            for line in lines:
                parts = line.split()
                (variable,) = [part for part in parts if part not in _RELATIONS and not _is_number(part)]
                _add(model.bounds, variable, " ".join(_number(part) for part in parts))
        elif section in ("binary", "general"):
            for variable in " ".join(lines).split():
                _add(model.domains, variable, section)
        else:
            raise ValueError(f"unexpected section {section}")
    return model


def _sections(text: str) -> list[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = []
    for line in (line.strip() for line in text.splitlines()):
        if not line or line.startswith("\\"):
            continue
        if line.lower() in _SECTIONS:
            found.append((_SECTIONS[line.lower()], []))
        else:
            found[-1][1].append(line)
    if not found or found.pop() != ("end", []):
        raise ValueError("the file does not end with 'end'")
    return found


def _named(lines: Iterable[str]) -> list[tuple[str, list[str]]]:
    rows: list[tuple[str, list[str]]] = []
    for line in lines:
        if line.endswith(":"):
            rows.append((line[:-1], []))
        else:
            rows[-1][1].extend(line.split())
    return rows


def _row(tokens: list[str]) -> str:
    """Terms `coefficient variable` sorted by variable, zero coefficients left out, then relation and constant."""
    cut = next((index for index, token in enumerate(tokens) if token in _RELATIONS), len(tokens))
    terms, end = tokens[:cut], tokens[cut:]
    pairs = list(zip(terms[1::2], map(Fraction, terms[::2]), strict=True))
    if len({variable for variable, _ in pairs}) < len(pairs):
        raise ValueError(f"a variable occurs twice in a row: {terms}")
    body = [f"{value} {variable}" for variable, value in sorted(pairs) if value]
    return " ".join([*body, *map(_number, end)])


def _is_number(token: str) -> bool:
    return token.lower().lstrip("+-") == "inf" or token.lstrip("+-")[:1].isdigit()


def _number(token: str) -> str:
    return str(Fraction(token)) if _is_number(token) and "inf" not in token.lower() else token


def _add(facts: dict[str, str], name: str, text: str) -> None:
    if name in facts:
        raise ValueError(f"{name} is stated twice")
    facts[name] = text
