"""Rows of models with values put into them, and stored LP files compared with what is built today."""

import re

import pyomo.environ as pyo
from pyomo.repn import generate_standard_repn

CONSTANT = ("", None)


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
