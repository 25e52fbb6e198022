"""The report of a campaign: its runs read from the ledger; page, figures, rows and summaries written into a folder."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from oas.campaigns.report.charts import figures
from oas.campaigns.report.frame import Reference, Run, Runs, page_parts
from oas.campaigns.report.page import render
from oas.campaigns.report.page_data import page_data
from oas.campaigns.report.samples import anytime_table, sample_tables, stage_table
from oas.campaigns.report.summary import GAP_REMARK, facts, notes, summarise, tables
from oas.campaigns.report.tables import Table, to_latex, to_markdown
from oas.campaigns.targets import target_table
from oas.core.errors import InputError
from oas.io.files import csv_bytes, write_bytes
from oas.io.reading import loads
from oas.plots import save_figure

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pandas

    from oas.campaigns.declaration import Campaign
    from oas.campaigns.ledger import Ledger
    from oas.campaigns.plan import Order
    from oas.campaigns.record import Record
    from oas.core.instances import Instance


def write(campaign: Campaign, orders: Sequence[Order], ledger: Ledger, folder: str | Path) -> list[Path]:
    """Write ``index.html``, ``summary.md``, ``summary.tex``, ``runs.csv`` and figures (SVG, PNG); return their paths.

    The orders are the runs of `campaign` as planned now (`oas.campaigns.plan.plan`); other rows of the ledger are only
    counted. The folder is made if it is missing; files of the same names are replaced. Raises `InputError` if it cannot
    be written.
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
    titled = {name: (figure.axes[0].get_title(loc="left"), figure) for name, figure in drawn.items()}
    texts = {
        "index.html": render(page_data(campaign, runs, ledger), titled),
        "summary.md": summary_markdown(campaign, runs),
        "summary.tex": summary_latex(campaign, runs),
    }
    for name, text in texts.items():
        write_bytes(target / name, text.encode("utf-8"))
    write_bytes(target / "runs.csv", _csv(runs.frame()))
    return [*(target / name for name in (*texts, "runs.csv")), *paths]


def summary_markdown(campaign: Campaign, runs: Runs) -> str:
    """Return the summary as a Markdown page, which can be kept as a page of results."""
    command = f"Command: oas bench run {campaign.file}; oas bench report {campaign.file} --output FOLDER"
    remarks = [campaign.description, command, *notes(runs), GAP_REMARK]
    return to_markdown(campaign.name, remarks, list(_tables(campaign, runs)))


def summary_latex(campaign: Campaign, runs: Runs) -> str:
    """Return the summary as LaTeX tables, for a document that uses booktabs."""
    return to_latex(campaign.name, [*notes(runs), GAP_REMARK], list(_tables(campaign, runs)))


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
    """Turn the system's errors into ours."""
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=str(folder)) from error


def _csv(frame: pandas.DataFrame) -> bytes:
    """Times exact, as texts such as 37/30; ratios as floats."""
    shown = frame.assign(**{name: frame[name].map(_float) for name in frame.columns if name.endswith("gap")})
    shown["gap_with_locality"] = frame["gap_with_locality"].map(_float)
    return csv_bytes(shown)


def _float(value: object) -> float | None:
    return None if value is None else float(value)  # type: ignore[arg-type]


def collect(orders: Sequence[Order], ledger: Ledger) -> Runs:
    """Read the runs that `ledger` holds of these orders."""
    asked = {order.key: order for order in orders}
    pairs = {(order.digest, order.method.label) for order in orders}
    current: dict[str, Record] = {}
    stale: Counter[str] = Counter()
    others = 0
    for record in ledger.records():
        if record.key in asked:
            current[record.key] = record
        elif (record.digest, record.method) in pairs:
            stale[record.method] += 1
        else:
            others += 1
    made = [order for order in orders if order.key in current]
    instances = {digest: _stored(ledger, digest) for digest in dict.fromkeys(order.digest for order in made)}
    # The instance that a method solves which promises no locality.
    free = {digest: instance.relaxed().digest for digest, instance in instances.items()}
    # A run that was ended from outside records no promises; those of the method's other runs count.
    ignoring_locality = {order.method.label for order in made if not current[order.key].keeps_locality}
    bare = []
    for order in made:
        solved = free[order.digest] if order.method.label in ignoring_locality else order.digest
        bare.append(_run(order, current[order.key], instances[order.digest], solved, free[order.digest]))
    references = _references(bare)
    return Runs(
        runs=tuple(_held_against(run, references) for run in bare),
        asked=Counter((order.origin.sample, order.method.label) for order in orders),
        missing=Counter(order.method.label for order in orders if order.key not in current),
        stale=stale,
        others=others,
        instances=instances,
        relaxed=free,
        references=references,
    )


def _stored(ledger: Ledger, digest: str) -> Instance:
    instance = loads(ledger.document(digest), str(ledger.path))
    if instance.digest != digest:
        raise InputError(f"the instance stored as {digest} is another", file=str(ledger.path), value=instance.digest)
    return instance


def _run(order: Order, record: Record, instance: Instance, relaxed: str, free: str) -> Run:
    own = page_parts(instance.problem).groups
    group = (own[-1] if relaxed == free else own[0]).name
    objective, bound, certified = map(_exact, (record.objective, record.lower_bound, record.certified_bound))
    return Run(order, record, group, relaxed, objective, bound, certified)


def _exact(text: str | None) -> Fraction | None:
    return None if text is None else Fraction(text)


def _references(runs: Iterable[Run]) -> dict[str, Reference]:
    """Return the proven optimum of each instance; if exact runs disagree, the smallest one, and all are reported."""
    found: dict[str, Reference] = {}
    for run in runs:
        if run.record.kind != "exact":
            continue
        known = found.get(run.relaxed, Reference())
        optimum, bound = known.optimum, known.bound
        if run.proven and run.objective is not None:
            optimum = run.objective if optimum is None else min(optimum, run.objective)
        if run.lower_bound is not None:
            bound = run.lower_bound if bound is None else max(bound, run.lower_bound)
        found[run.relaxed] = Reference(optimum, bound)
    return found


def _held_against(run: Run, references: Mapping[str, Reference]) -> Run:
    reference = references.get(run.relaxed, Reference())
    if run.relaxed == run.order.digest:
        return replace(run, reference=reference)
    return replace(run, reference=reference, beside=references.get(run.order.digest, Reference()))
