"""Tables of text in Markdown and LaTeX, with everything escaped."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

MISSING = "–"
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>|#~$])")
_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "^": r"\textasciicircum{}",
    "_": r"\_", "~": r"\textasciitilde{}", "%": r"\%", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
    '"': r"\textquotedbl{}", "–": "--", "−": r"$-$", "×": r"$\times$", "≤": r"$\leq$", "η": r"$\eta$",
    "[": "{[}", "]": "{]}",  # after \\ a bracket would be taken for a length
}  # fmt: skip


@dataclass(frozen=True)
class Table:
    """A table of unescaped text; columns of numbers, except the first column, are right-aligned."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    remark: str = ""

    def numeric(self, column: int) -> bool:
        """Return whether a column contains only numbers, with or without % or s, or nothing."""
        return column > 0 and all(re.fullmatch(r"–|[<≥]? ?-?[\d.,]+( %| s)?", row[column]) for row in self.rows)


def percent(value: float | None) -> str:
    """Format a ratio in percent with two decimals; only an exact zero is ``0``."""
    if value is None:
        return MISSING
    return "0" if value == 0 else f"{100 * value:.2f}"


def seconds(value: float | None) -> str:
    """Format a wall time with three decimals."""
    return MISSING if value is None else f"{value:.3f}"


def to_markdown(title: str, remarks: Sequence[str], tables: Sequence[Table]) -> str:
    """Return a Markdown page of tables."""
    parts = [f"# {escape_markdown(title)}", *(escape_markdown(remark) for remark in remarks if remark)]
    for table in tables:
        parts += [f"## {escape_markdown(table.title)}", _markdown_table(table)]
        parts += [escape_markdown(table.remark)] if table.remark else []
    return "\n\n".join(parts) + "\n"


def _markdown_table(table: Table) -> str:
    rule = ["---:" if table.numeric(column) else "---" for column in range(len(table.header))]
    lines = [map(escape_markdown, table.header), rule, *(map(escape_markdown, row) for row in table.rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def escape_markdown(text: str) -> str:
    """Escape text for Markdown, on one line."""
    return _MARKDOWN.sub(r"\\\1", _one_line(text))


def to_latex(title: str, remarks: Sequence[str], tables: Sequence[Table]) -> str:
    """Return LaTeX tables of natural width, for a document that loads booktabs."""
    lines = [f"% {_one_line(title)}", "% \\usepackage{booktabs}"]
    lines += [f"% {_one_line(remark)}" for remark in remarks]
    for table in tables:
        lines += ["", *_latex_table(table)]
    return "\n".join(lines) + "\n"


def _latex_table(table: Table) -> list[str]:
    columns = "".join("r" if table.numeric(column) else "l" for column in range(len(table.header)))
    caption = ". ".join(part.rstrip(".") for part in (table.title, table.remark) if part)
    return [
        r"\begin{table}",
        r"\centering",
        f"\\caption{{{escape_latex(caption)}}}",
        f"\\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        _latex_row(table.header),
        r"\midrule",
        *map(_latex_row, table.rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(map(escape_latex, cells)) + r" \\"


def escape_latex(text: str) -> str:
    """Escape text for LaTeX."""
    return "".join(_LATEX.get(sign, sign) for sign in _one_line(text))


def _one_line(text: str) -> str:
    return " ".join(text.split())
