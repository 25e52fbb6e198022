"""Chart of the cost of a proof as instances grow, readable in a column of 88 mm.

`python -m benchmarks.measurements.growth_chart` draws `docs/proof-rate-growth.png` from the table of
`results/proof_rates_coallocation.md`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matplotlib.ticker import NullLocator

from oas.plots import save_figure
from oas.plots.axes import INK, LIMIT, ToolkitFigure, dark, job_colour, scaled_formatter, value_grid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "benchmarks" / "results" / "proof_rates_coallocation.md"
PICTURE = ROOT / "docs" / "proof-rate-growth.png"

BASE = ("12", "3x4", "std", "25")  # jobs, grid, bandwidth, η in percent: a panel varies one of them
SECONDS = 20.0  # limit of a run
INSTANCES = 5  # behind each point
_WIDTH, _HEIGHT = 3.46, 4.0  # inches
_SMALL = 7.0  # points

Row = dict[str, str]


def table(page: Path = PAGE) -> list[Row]:
    """Return the rows of the table in section "How cost grows", each as cells by column."""
    text = page.read_text(encoding="utf-8").partition("## How cost grows")[2]
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]
    return [dict(zip(lines[0], cells, strict=True)) for cells in lines[2:] if cells[0] != "all"]


def axes_of(rows: Sequence[Row]) -> dict[str, list[tuple[float, Row]]]:
    """Return the points along each axis: the quantity that varies, and its row; ascending."""
    quantities = {
        "jobs": lambda row: float(row["jobs"]),
        "nodes of each cluster": lambda row: float(row["grid"].split("x")[1]),
        "clusters": lambda row: float(row["grid"].split("x")[0]),
        "slots per mean base time": lambda row: 100 / float(row["η %"]) if float(row["η %"]) else float("inf"),
    }
    (base,) = [row for row in rows if (row["jobs"], row["grid"], row["bandwidth"], row["η %"]) == BASE]
    found = {}
    for name, quantity in quantities.items():
        others = {other: size for other, size in quantities.items() if other != name}
        points = [(quantity(row), row) for row in rows if all(one(row) == one(base) for one in others.values())]
        found[name] = sorted(points, key=lambda point: point[0])
    return found


def growth_figure(rows: Sequence[Row]) -> Figure:
    """Draw the seconds of a proof against jobs, nodes, clusters and slots, a panel each."""
    figure = ToolkitFigure(figsize=(_WIDTH, _HEIGHT), dpi=300, layout="constrained")
    charts = figure.subplots(2, 2, sharey=True)
    for ax, (name, points) in zip(charts.flat, axes_of(rows).items(), strict=True):
        _draw(ax, name, points)
    for ax in charts[:, 0]:
        ax.set_ylabel("wall time [s]", fontsize=_SMALL, color=INK)
    handles, labels = charts[0, 0].get_legend_handles_labels()
    heads: dict[str, Any] = {"title": "OAS section 4: 12 jobs on 3x4 nodes, η 25 %, one of them varied"}
    heads |= {"title_fontsize": _SMALL, "alignment": "left", "fontsize": _SMALL, "frameon": False}
    figure.legend(handles, labels, loc="outside upper left", ncols=2, handlelength=1.8, **heads)
    return figure


def _draw(ax: Axes, name: str, points: Sequence[tuple[float, Row]]) -> None:
    places, rows = range(len(points)), [row for _, row in points]
    mean = [float(row["total s"]) / INSTANCES for row in rows]
    solver = [float(row["its total s"]) / INSTANCES for row in rows]
    worst = [max(float(row["worst s"]), at) for row, at in zip(rows, mean, strict=True)]
    own, other = "#332288", dark(job_colour(1))
    ax.axhline(SECONDS, color=LIMIT, lw=0.8, zorder=1, label=f"limit {SECONDS:g} s")
    ax.plot(places, solver, color=other, lw=2.2, linestyle=(0, (2, 1)), zorder=2, label="CP-SAT, mean")
    ax.plot(places, mean, color=own, lw=1.5, marker="o", ms=3.5, zorder=4, label="oas.solve, mean")
    ax.plot(places, worst, color=own, lw=0.8, marker="_", ms=4, zorder=3, label="oas.solve, worst")
    for place, row in zip(places, rows, strict=True):
        proven = row["proven"].split(" of ")[0]
        ax.annotate(proven, (place, 1), (0, -1), xycoords=ax.get_xaxis_transform(), textcoords="offset points",
                    ha="center", va="top", fontsize=_SMALL, color=own)  # fmt: skip
    ax.set_title(f"proven of {INSTANCES}:", loc="left", fontsize=_SMALL, color=own, pad=2)
    ax.set_yscale("log")
    ax.set_ylim(0.015, 80)
    ax.yaxis.set_major_formatter(scaled_formatter(0))
    ax.yaxis.set_minor_locator(NullLocator())
    value_grid(ax, width=0.4)
    ax.set_xticks(places, ["∞" if size == float("inf") else f"{size:g}" for size, _ in points])
    ax.set_xlabel(name, fontsize=_SMALL, color=INK)
    ax.tick_params(labelsize=_SMALL, pad=2)


if __name__ == "__main__":
    save_figure(growth_figure(table()), sys.argv[1] if len(sys.argv) > 1 else PICTURE)
