"""Writer of a campaign's report: page, figures, rows and summaries of the runs in its ledger."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from oas.campaigns.report.charts import figures
from oas.campaigns.report.frame import Reference, Run, Runs, page_parts
from oas.campaigns.report.page import page
from oas.campaigns.report.samples import anytime_table, sample_tables, stage_table
from oas.campaigns.report.sections import page_sections, tiles_of
from oas.campaigns.report.summary import GAP_REMARK, facts, notes, summarise, tables
from oas.campaigns.targets import target_table
from oas.core.errors import InputError
from oas.io.files import csv_bytes, write_bytes
from oas.io.reading import loads
from oas.plots import save_figure
from oas.show.text_tables import Table, to_latex, to_markdown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from oas.campaigns.declaration import Campaign
    from oas.campaigns.ledger import Ledger
    from oas.campaigns.plan import Order
    from oas.campaigns.record import Record
    from oas.core.instances import Instance


def write(campaign: Campaign, orders: Sequence[Order], ledger: Ledger, folder: str | Path) -> list[Path]:
    """Write ``index.html``, ``summary.md``, ``summary.tex``, ``runs.csv`` and figures (SVG, PNG); return their paths.

    The orders are the currently planned runs (`oas.campaigns.plan.plan`); other rows of the ledger are only counted.
    The folder is created if it is missing; existing files are replaced. Raises `InputError` if writing fails.
    """
    target = Path(folder)
    with _explained(target):
        target.mkdir(parents=True, exist_ok=True)
    runs = collect(orders, ledger)
    drawn = dict(figures(runs))
    paths = [target / f"{name}{suffix}" for name in drawn for suffix in (".svg", ".png")]
    with _explained(target):
        for path in paths:
            save_figure(drawn[path.stem], path)
    plots = [(figure.axes[0].get_title(loc="left"), figure) for figure in drawn.values()]
    sections = page_sections(campaign, runs, ledger, plots)
    texts = {
        "index.html": page("Campaign", campaign.name, campaign.description, tiles_of(runs), sections),
        "summary.md": summary_markdown(campaign, runs),
        "summary.tex": to_latex(campaign.name, [*notes(runs), GAP_REMARK], list(_tables(campaign, runs))),
    }
    for name, text in texts.items():
        write_bytes(target / name, text.encode("utf-8"))
    write_bytes(target / "runs.csv", csv_bytes(runs.frame()))
    return [*(target / name for name in (*texts, "runs.csv")), *paths]


def summary_markdown(campaign: Campaign, runs: Runs) -> str:
    """Return the summary as a Markdown page, in the format of the pages of results."""
    command = f"Command: oas bench run {campaign.file}; oas bench report {campaign.file} --output FOLDER"
    remarks = [campaign.description, command, *notes(runs), GAP_REMARK]
    return to_markdown(campaign.name, remarks, list(_tables(campaign, runs)))


def _tables(campaign: Campaign, runs: Runs) -> Iterator[Table]:
    if (targets := target_table(campaign.targets, runs)) is not None:
        yield targets
    yield from tables(summarise(runs))
    if len({run.sample for run in runs.runs}) > 1:
        yield from sample_tables(runs)
    for table in (anytime_table(runs), stage_table(runs)):
        if table is not None:
            yield table
    rows = [(name, ", ".join(values)) for name, values in facts(campaign, runs)]
    yield Table("Circumstances", ("fact", "value"), rows)


@contextmanager
def _explained(folder: Path) -> Iterator[None]:
    """Turn errors of the system into `InputError`."""
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=str(folder)) from error


def collect(orders: Sequence[Order], ledger: Ledger) -> Runs:
    """Read the runs of these orders from `ledger`."""
    planned = {order.key for order in orders}
    pairs = {(order.digest, order.method.label) for order in orders}
    current: dict[str, Record] = {}
    stale: Counter[str] = Counter()
    others = 0
    for record in ledger.records():
        if record.key in planned:
            current[record.key] = record
        elif (record.digest, record.method) in pairs:
            stale[record.method] += 1
        else:
            others += 1
    finished_orders = [order for order in orders if order.key in current]
    instances = {digest: _stored(ledger, digest) for digest in dict.fromkeys(order.digest for order in finished_orders)}
    # Methods that may violate locality solve the relaxed instance.
    relaxed = {digest: instance.relaxed().digest for digest, instance in instances.items()}
    # A killed run does not record whether it keeps locality; the other runs of its method do.
    ignoring_locality = {order.method.label for order in finished_orders if not current[order.key].keeps_locality}
    runs = []
    for order in finished_orders:
        solved = relaxed[order.digest] if order.method.label in ignoring_locality else order.digest
        runs.append(_run(order, current[order.key], instances[order.digest], solved, relaxed[order.digest]))
    references = _references(runs)
    return Runs(
        runs=tuple(_with_references(run, references) for run in runs),
        planned=Counter((order.origin.sample, order.method.label) for order in orders),
        missing=Counter(order.method.label for order in orders if order.key not in current),
        stale=stale,
        others=others,
        instances=instances,
        relaxed=relaxed,
        references=references,
    )


def _stored(ledger: Ledger, digest: str) -> Instance:
    instance = loads(ledger.document(digest), str(ledger.path))
    if instance.digest != digest:
        raise InputError(f"the instance stored as {digest} is another", file=str(ledger.path), value=instance.digest)
    return instance


def _run(order: Order, record: Record, instance: Instance, solved: str, relaxed: str) -> Run:
    groups = page_parts(instance.problem).groups
    group = (groups[-1] if solved == relaxed else groups[0]).name
    texts = record.objective, record.lower_bound, record.certified_bound
    objective, bound, certified = (None if text is None else Fraction(text) for text in texts)
    return Run(order, record, group, solved, objective, bound, certified)


def _references(runs: Iterable[Run]) -> dict[str, Reference]:
    """Return the proven optimum of each instance; if exact runs disagree, the smallest one, and all are reported."""
    references: dict[str, Reference] = {}
    for run in runs:
        if run.record.kind != "exact":
            continue
        known = references.get(run.relaxed, Reference())
        optimum, bound = known.optimum, known.bound
        if run.proven and run.objective is not None:
            optimum = run.objective if optimum is None else min(optimum, run.objective)
        if run.lower_bound is not None:
            bound = run.lower_bound if bound is None else max(bound, run.lower_bound)
        references[run.relaxed] = Reference(optimum, bound)
    return references


def _with_references(run: Run, references: Mapping[str, Reference]) -> Run:
    reference = references.get(run.relaxed, Reference())
    if run.relaxed == run.order.digest:
        return replace(run, reference=reference)
    return replace(run, reference=reference, with_locality=references.get(run.order.digest, Reference()))
