"""Rows of models with values put into them, and stored LP files compared with what is built today."""

import re
from dataclasses import replace
from importlib import import_module

import pyomo.environ as pyo
from pyomo.repn import generate_standard_repn

from oas.coallocation.allocations import allocations
from oas.mosp.models.reductions import least_free
from oas.solvers.variables import key_of

CONSTANT = ("", None)


def model_of(formulation, spec):
    """Return the model that is built today."""
    module, _, function = formulation.builder.partition(":")
    return getattr(import_module(module), function)(spec)


def every_start(spec):
    """Return a start-indexed model of co-allocation with every allocation and start, and no symmetry taken away."""
    choices = tuple(tuple(allocations(spec.scaled, job)) for job in range(spec.scaled.job_count))
    return replace(spec, choices=choices, starts=(tuple(range(spec.horizon)),) * len(choices), identical_jobs=())


def every_cluster_start(spec):
    """Return one of MOSP with every start at which a job alone breaks no rule, and no symmetry taken away."""
    scaled, starts = spec.scaled, []
    for time, width, release, owner in zip(scaled.times, scaled.widths, scaled.releases, scaled.owners, strict=True):
        deadline = scaled.deadlines[owner]
        every = range(release, (spec.horizon if deadline is None else min(spec.horizon, deadline)) - time + 1)
        fitting = [[one for one in every if least_free(own, one, one + time) >= width] for own in spec.profiles]
        starts.append(tuple(map(tuple, fitting)))
    return replace(spec, starts=tuple(starts), identical_jobs=(), identical_clusters=())


def values_of(spec, runs):
    """Return the values of runs in such a model as they are, feasible or not."""
    if hasattr(spec, "choices"):
        last = max(run.end for run in runs)
        values = {("start", (run.job, spec.choices[run.job].index(run.allocation), run.start)): 1.0 for run in runs}
    else:
        last = max(run.start + spec.scaled.times[run.job] for run in runs)
        values = {("start", (run.job, run.cluster, run.start)): 1.0 for run in runs}
        values |= {("on", (run.job, run.cluster)): 1.0 for run in runs}
    return values | {("beyond", (index,)): 1.0 for index, one in enumerate(spec.ends) if one <= last}


def rows_of(model):
    """Return the rows as family, coefficients by variable, and limits."""
    rows = []
    for row in model.component_data_objects(pyo.Constraint, active=True):
        body = generate_standard_repn(row.body)
        assert body.is_linear()
        names = [(one.parent_component().local_name, one.index()) for one in body.linear_vars]
        terms = {CONSTANT: body.constant}
        for name, coefficient in zip(names, body.linear_coefs, strict=True):
            terms[name] = terms.get(name, 0) + coefficient
        rows.append((row.parent_component().local_name, terms, row.lb, row.ub))
    return rows


def put(model, values):
    """Give the model's variables these values, all others 0."""
    for variable in model.component_data_objects(pyo.Var):
        variable.set_value(values.get(key_of(variable), 0), skip_validation=True)
    return model


def broken(rows, values):
    """Families with a row that the values break; all numbers are dyadic and small, so floats are exact."""
    by_name = {(name, index[0] if len(index) == 1 else index): value for (name, index), value in values.items()}
    by_name[CONSTANT] = 1
    found = set()
    for family, terms, low, high in rows:
        body = sum(coefficient * by_name.get(name, 0) for name, coefficient in terms.items())
        if (low is not None and body < low) or (high is not None and body > high):
            found.add(family)
    return found


def lp_facts(text):
    """Return what an LP file of Pyomo says, each term, relation, bound and domain as a line, in whatever order."""
    facts = set()
    section = name = ""
    for line in map(str.strip, text.splitlines()):
        if not line or line.startswith("\\"):
            continue
        if re.fullmatch(r"min|max|s\.t\.|bounds|binary|general|end", line):
            section, name = line, ""
        elif line.endswith(":"):
            name = line
        else:
            fact = f"{section} {name} {line}"
            assert fact not in facts, f"stated twice: {fact}"
            facts.add(fact)
    assert section == "end"
    return facts


def assert_same_model(text, stored):
    """Fail, naming up to twenty facts on each side, if `text` states another model than the stored file."""
    built, kept = lp_facts(text), lp_facts(stored.read_text(encoding="utf-8"))
    gone, new = sorted(kept - built)[:20], sorted(built - kept)[:20]
    assert built == kept, "\n".join(
        [f"not the model of {stored.name}", *map("- {}".format, gone), *map("+ {}".format, new)]
    )
