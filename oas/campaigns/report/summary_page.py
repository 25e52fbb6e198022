"""The summary of a campaign as a Markdown page and as LaTeX tables: targets, methods, samples, time, circumstances."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.campaigns.report.anytime import anytime_table, stage_table
from oas.campaigns.report.facts import facts
from oas.campaigns.report.samples import sample_tables
from oas.campaigns.report.summary import GAP_REMARK, notes, summarise, tables
from oas.campaigns.report.tables import Table, to_latex, to_markdown
from oas.campaigns.report.targets import target_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oas.campaigns.declaration import Campaign
    from oas.campaigns.report.frame import Runs


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
