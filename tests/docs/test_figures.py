"""Shares of proven optima in pages are those of the pages of results that they cite: of several samples, the worst.

`SAMPLES` names every measurement of a cell, `QUOTES` every text with its figures. A figure that is stale, better than
measured or without a source fails a test, whose message is the text that the page should contain.
"""

import os
import re
from dataclasses import dataclass, replace
from fractions import Fraction as F
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks/results"
# The table of claims is generated, and compared with the recorded findings by the tests of claims.
GENERATED = {ROOT / "docs/claims.md"}
PAGES = [
    page
    for folder, pattern in ((ROOT, "*.md"), (ROOT / "docs", "**/*.md"), (ROOT / "notebooks", "*.ipynb"))
    for page in sorted(folder.glob(pattern))
    if page not in GENERATED and page.name != "CHANGELOG.md"
]
SHARE = re.compile(r"\b\d[\d,]* of \d[\d,]*\b")
OPEN = "Open:"


@dataclass(frozen=True)
class Sample:
    """The figures of a sample; gaps in percent, None if its page has none."""

    pages: frozenset[str]
    count: int  # of proven optima
    instances: int
    worst_gap: F | None = None
    mean_gap: F | None = None
    others: int | None = None  # number of optima that CP-SAT alone proves

    @property
    def rank(self):
        """The worst sample has the least rank: the least share or, in case of ties, the largest gap."""
        return F(self.count, self.instances), -(self.worst_gap or 0)

    @property
    def proven(self):
        return f"{self.count} of {self.instances}"

    @property
    def worst(self):
        return "–" if self.worst_gap is None else f"{float(self.worst_gap):.1f} %" if self.worst_gap else "0"

    @property
    def gaps(self):
        both = (f"{float(gap):.2f} %".removeprefix("0") for gap in (self.worst_gap, self.mean_gap))
        return ", ".join(both) if self.worst_gap else "0"


@dataclass(frozen=True)
class Rows:
    """Rows of tables on a page of results that have one of these texts in each of these columns; None: no such column.

    `gap` is the heading of the column of the worst gap, or the beginning of a paragraph that lists gaps.
    """

    page: str
    cells: dict[str, tuple[str | None, ...]]
    section: str = ""  # heading of the section, or of one that contains it
    gap: str = "worst gap"

    def samples(self):
        for headings, text, rows in sections(self.page):
            for row in rows if not self.section or self.section in headings else ():
                if "proven" in row and all(row.get(name) in texts for name, texts in self.cells.items()):
                    yield self._sample(row, text)

    def _sample(self, row, text):
        count, _, instances = row["proven"].partition(" of ")
        if self.gap == OPEN:
            (listed,) = re.findall(rf"^{OPEN}(.*)$", text, re.MULTILINE)
            worst = max(map(F, re.findall(r"([\d.]+) %", listed)))
        else:
            worst = percentage(row.get(self.gap))
        return Sample(
            frozenset({self.page}),
            int(count),
            int(instances or row.get("instances") or row["runs"]),
            worst,
            percentage(row.get("mean gap")),
            int(row["CP-SAT proven"]) if "CP-SAT proven" in row else None,
        )


@cache
def sections(page):
    """Return for each section of a page of results its heading and those above, its text, and rows of its tables."""
    found, headings = [], {}
    for text in parts_of((RESULTS / f"{page}.md").read_text(encoding="utf-8")):
        marks, _, heading = text.split("\n", 1)[0].partition(" ")
        headings = {level: name for level, name in headings.items() if level < len(marks)} | {len(marks): heading}
        tables = re.findall(r"(?:^\|.*\|$\n?)+", text, re.MULTILINE)
        found.append((tuple(headings.values()), text, [row for table in tables for row in rows_of(table)]))
    return found


def parts_of(text):
    """Return the sections of a page, each from its heading to the next one."""
    return re.split(r"^(?=#+ )", text, flags=re.MULTILINE)


def rows_of(table):
    """Yield the cells of each row by heading; the second column of the same heading is called "heading 2"."""
    head, _, *body = ([cell.strip(" *") for cell in line[1:-1].split("|")] for line in table.splitlines())
    for cells in body:
        row = {}
        for name, cell in zip(head, cells, strict=True):
            row[f"{name} 2" if name in row else name] = cell
        yield row


def percentage(text):
    match = re.fullmatch(r"([\d.]+)(?: %)?", text or "")
    return F(match[1]) if match else None


def small(name):
    """Return the rows of a sample in the sections of all dates."""
    return Rows("small_instances", {"sample": (name,), "method": ("exact",)})


def again(name):
    """Return the row of a sample that was solved again."""
    return Rows("solved_again", {"sample": (name,)})


def coallocation(section):
    return Rows("proof_rates_coallocation_fresh", {"jobs": ("all",)}, section)


def mosp(workload, jobs):
    return Rows("proof_rates_mosp_fresh", {"workload": (workload,), "n": (jobs,), "N": ("all",)})


# Every measurement with one thread and 60 s for each instance, or less if all were proven, whatever its page.
SAMPLES = {
    "co-allocation 8": [again("co-allocation, 8 jobs")],
    "co-allocation 16": [
        coallocation("Sixteen jobs"),
        small("co-allocation, 16 jobs"),
        again("co-allocation, 16 jobs"),
    ],
    "co-allocation 32": [
        coallocation("Thirty-two jobs"),
        small("co-allocation, 32 jobs"),
        again("co-allocation, 32 jobs"),
    ],
    "co-allocation 64": [coallocation("Sixty-four jobs"), again("co-allocation, 64 jobs")],
    "co-allocation 256": [coallocation("256 jobs"), again("co-allocation, 256 jobs")],
    "slowdown 8": [
        Rows("proof_rates_saturation", {"threshold": ("all",)}, "Eight jobs", OPEN),
        again("slowdown, 8 jobs"),
    ],
    "uni 20": [small("uniform, 20 jobs")],
    "uni 50": [mosp("uni", "50"), small("uniform, 50 jobs"), again("uni, n = 50")],
    "uni 50, section 7.2": [mosp("uni", "50"), again("uni, n = 50")],
    "uni 100": [mosp("uni", "100"), again("uni, n = 100")],
    "uni 500": [mosp("uni", "500"), again("uni, n = 500")],
    "swf 10": [mosp("swf", "10")],
    "swf 50": [mosp("swf", "50")],
    "swf 100": [mosp("swf", "100")],
    "swf 500": [mosp("swf", "500"), again("swf, n = 500")],
    "unequal": [Rows("proof_rates_mosp", {"workload": ("all",), "N": ("all",)})],
    "reservations 20": [small("reservations, 20 jobs"), again("reservations, n = 20")],
    "reservations 50": [
        Rows(
            "reservation_proofs",
            {"n": ("50",), "m": (None,), "class": (None,)},
            "60 s for each instance",
            "largest",
        ),
        again("reservations, n = 50"),
    ],
}
LOGS = ("swf 10", "swf 50", "swf 100")
# Texts with the figures of cells, which are added if there are several; a space stands for any white space.
QUOTES = {
    "docs/index.md": [
        ("| 8 (paper) | {proven} | {worst} |", ["co-allocation 8"]),
        ("| | 16 | {proven} | {worst} |", ["co-allocation 16"]),
        ("| | 32 | {proven} | {worst} |", ["co-allocation 32"]),
        ("| | 64 | {proven} | {worst} |", ["co-allocation 64"]),
        ("| | 256 | {proven} | {worst} |", ["co-allocation 256"]),
        ("(coallocation.md#saturated-links) | 8 | {proven} | {worst} |", ["slowdown 8"]),
        ("(mosp.md) (MOSP), uniform | 20 | {proven} | {worst} |", ["uni 20"]),
        ("| | 50 | {proven} | {worst} |", ["uni 50"]),
        ("| | 500 | {proven} | {worst} |", ["uni 500"]),
        ("| like job logs | 10 to 100 | {proven} | {worst} |", LOGS),
        ("| clusters of unequal sizes | 10 to 500 | {proven} | {worst} |", ["unequal"]),
        ("(how/reservations.md) | 20 | {proven} | {worst} |", ["reservations 20"]),
        ("| | 50 | {proven} | {worst} | [reservations]", ["reservations 50"]),
    ],
    "docs/coallocation.md": [
        ("| 16 | 3x4, 3x20 | {proven} | {gaps} |", ["co-allocation 16"]),
        ("| 32 | 3x4, 3x20 | {proven} | {gaps} |", ["co-allocation 32"]),
        ("| 64 | 3x80, 6x20 | {proven} | {gaps} |", ["co-allocation 64"]),
        ("| 256 | 6x80 | {proven} | {gaps} |", ["co-allocation 256"]),
        (
            "One run of CP-SAT alone claims {others} of these instances",
            [f"co-allocation {jobs}" for jobs in (16, 32, 64, 256)],
        ),
        ("the size of the paper, {proven} instances are proven", ["co-allocation 8"]),
    ],
    "docs/how-it-proves.md": [
        ("{proven} with 16 or 32 jobs", ["co-allocation 16", "co-allocation 32"]),
        ("{proven} uniform instances with 50 or 100 jobs", ["uni 50", "uni 100"]),
    ],
    "docs/mosp.md": [
        ("| uni | 50 | {proven} | {others} | {gaps} |", ["uni 50, section 7.2"]),
        ("| uni | 100 | {proven} | {others} | {gaps} |", ["uni 100"]),
        ("| uni | 500 | {proven} | {others} | {gaps} |", ["uni 500"]),
        ("| swf | 10, 50, 100 | {proven} | {others} | {gaps} |", LOGS),
        ("| swf | 500 | {proven} | {others} | {gaps} |", ["swf 500"]),
    ],
}
CASES = [(page, *quote) for page, quotes in QUOTES.items() for quote in quotes]
# Other shares: those that a page of results states in the same words, and those that are not about measurements.
REPEATED = {"docs/how/slot-size.md": {"13 of 160": "slot_sizes"}}
UNRELATED = {
    "docs/solver-notes.md": {"10 of 16,004", "2 of 14"},  # observations of solvers, with their versions
    "docs/models.md": {"51 of 51"},  # tiny instances of a test
    "docs/how/job-logs.md": {"12 of 16"},  # processors
}


def quoted(cells):
    """Return the figures that pages quote: the worst sample of each cell, added up."""
    worst = [min((one for rows in SAMPLES[cell] for one in rows.samples()), key=lambda one: one.rank) for cell in cells]
    if len(worst) == 1:
        return replace(worst[0], others=others_of(cells[0]))
    gaps = [one.worst_gap for one in worst]
    others = [others_of(cell) for cell in cells]
    return Sample(
        frozenset(page for one in worst for page in one.pages),
        sum(one.count for one in worst),
        sum(one.instances for one in worst),
        None if None in gaps else max(gaps),
        None,
        None if None in others else sum(others),
    )


def others_of(cell):
    """Return the number of optima that CP-SAT alone claimed, from the page that compares it; None if there is none."""
    samples = [one for rows in SAMPLES[cell] for one in rows.samples()]
    return next((one.others for one in samples if one.others is not None), None)


def text_of(page):
    return (ROOT / page).read_text(encoding="utf-8")


def found(text, page, template, cells):
    """Return where a page quotes the figures of cells; None if it has not the text that it should have."""
    return re.search(r"\s+".join(map(re.escape, expected(template, cells).split(" "))), text)


def expected(template, cells):
    sample = quoted(cells)
    names = {name for name in re.findall(r"{(\w+)}", template)}
    return template.format(**{name: getattr(sample, name) for name in names})


def cited(text, folder):
    """Return the pages of results to which a text links, in their order, then those to which these pages link."""
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", text)
    paths = [Path(os.path.normpath(folder / link)) for link in links if link.endswith(".md") or ".md#" in link]
    return [path.stem for path in paths if path.parent == RESULTS], [path for path in paths if path.parent != RESULTS]


@pytest.mark.parametrize("cell", SAMPLES)
def test_every_listed_measurement_is_on_its_page(cell):
    for rows in SAMPLES[cell]:
        samples = list(rows.samples())
        assert samples, (cell, rows)
        assert all(0 <= one.count <= one.instances for one in samples)


@pytest.mark.parametrize(("page", "template", "cells"), CASES, ids=[f"{page}: {text}" for page, text, _ in CASES])
def test_a_page_quotes_the_worst_sample_and_cites_its_page(page, template, cells):
    text, source = text_of(page), quoted(cells).pages
    place = found(text, page, template, cells)
    assert place, f"{page} should quote {expected(template, cells)!r} from {', '.join(source)}"
    folder = (ROOT / page).parent
    line_end = text.index("\n", place.end())
    if text[text.rindex("\n", 0, place.end()) + 1] == "|" and cited(text[place.start() : line_end], folder)[0]:
        assert set(cited(text[place.start() : line_end], folder)[0]) == source
        return
    begin = max(match.start() for match in re.finditer(r"^#+ |\A", text[: place.start()], re.MULTILINE))
    if text[place.end() : line_end].strip(" |") == "the same":
        assert {cited(text[begin : place.start()], folder)[0][-1]} == source
        return
    direct, pages = cited(parts_of(text[begin:])[0] or parts_of(text[begin:])[1], folder)
    indirect = [name for one in pages for name in cited(text_of(one), one.parent)[0]]
    assert source <= {*direct, *indirect}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_no_page_has_a_share_without_a_source(page):
    name, text = page.relative_to(ROOT).as_posix(), page.read_text(encoding="utf-8")
    places = [found(text, name, *quote) for quote in QUOTES.get(name, ())]
    known = [place.span() for place in places if place]
    known += [match.span() for match in re.finditer(r"^```.*?^```$", text, re.DOTALL | re.MULTILINE)]
    for share in SHARE.finditer(text):
        if any(begin <= share.start() and share.end() <= end for begin, end in known):
            continue
        if share[0] in UNRELATED.get(name, ()):
            continue
        source = REPEATED.get(name, {}).get(share[0])
        assert source, f"{name}: {share[0]} is in no list of this file"
        assert share[0] in (RESULTS / f"{source}.md").read_text(encoding="utf-8")
        assert f"results/{source}.md" in text
