"""The table of experiments."""

from __future__ import annotations

from benchmarks.papers import mosp_heterogeneous, mosp_homogeneous, mosp_policies, oas_slots, oas_workloads
from benchmarks.papers.experiment import Experiment
from benchmarks.papers.optima import optima_table
from benchmarks.papers.rows import mosp_rows, oas_rows

EXPERIMENTS = {
    experiment.name: experiment
    for experiment in (
        Experiment("oas-slots", oas_rows, oas_slots.statements, oas_slots.tables),
        Experiment("oas-workloads", oas_rows, oas_workloads.statements, oas_workloads.tables),
        Experiment(
            "mosp-7.2", mosp_rows, mosp_homogeneous.statements, optima_table, mosp_homogeneous.PRINTED_INSTANCES
        ),
        Experiment(
            "mosp-7.3",
            mosp_rows,
            mosp_policies.statements,
            lambda rows: optima_table(rows, mosp_policies.policy),
            mosp_policies.PRINTED_INSTANCES,
            smoke=lambda source: source.parameters["processors"] == 32,
        ),
        Experiment(
            "mosp-7.4", mosp_rows, mosp_heterogeneous.statements, optima_table, mosp_heterogeneous.PRINTED_INSTANCES
        ),
    )
}
