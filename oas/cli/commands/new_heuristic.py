"""`oas new-heuristic`."""

from __future__ import annotations

from importlib.resources import files
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path
from string import Template
from typing import Annotated

import typer

from oas.cli import options as opt
from oas.cli.output import put
from oas.core.errors import InputError
from oas.problems.registry import problem_named, problem_names


def new_heuristic_command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Of the heuristic, its module and its package.")],
    problem: Annotated[
        str,
        opt.problem_option("What it schedules: jobs over clusters, or organizations."),
    ] = problem_names()[0],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FOLDER", help="Where its folder NAME is made.")
    ] = ".",
) -> None:
    """Write a small package with a heuristic of your own that works: to be changed.

    It holds the heuristic, a test that runs the test kit, and what makes it a package: once that is installed, every
    `oas compare` ranks the heuristic beside the others. Nothing that exists is overwritten.

    Examples
    --------
      oas new-heuristic golden
      pip install -e golden
      oas test-heuristic golden
      oas compare grid.json
      oas new-heuristic fair_share --problem mosp --output work/
    """
    folder = Path(output) / name
    if folder.exists():
        raise InputError("exists already; nothing is overwritten", field="NAME", value=str(folder))
    _check_name(name, problem)
    templates = {
        f"{name}.py": (_template(problem), "the heuristic"),
        f"test_{name}.py": ("test.py.txt", "its test"),
        "pyproject.toml": ("pyproject.toml.txt", "its package, with the entry point"),
    }
    folder.mkdir(parents=True)
    lines = []
    for file, (template, what) in templates.items():
        text = files("oas.testing").joinpath("template", template).read_text(encoding="utf-8")
        filled = Template(text).substitute(name=name, distribution=name.replace("_", "-"))
        (folder / file).write_text(filled, encoding="utf-8")
        lines.append(f"{folder / file}: {what}")
    put("".join(f"{line}\n" for line in [*lines, "", f"next: pip install -e {folder}"]))


def _template(problem: str) -> str:
    """Return the file that a new heuristic for the problem is made of; `InputError` if there is none."""
    from oas.testing.parts import kit_parts

    found = kit_parts(problem_named(problem)).template
    if not found:
        raise InputError("there is no template for it", field="--problem", value=problem)
    return found


def _check_name(name: str, problem: str) -> None:
    """Refuse what cannot be a module and a package, or would stand in the way of another."""
    from heuristics.registry import methods

    plain = name.isascii() and name.isidentifier() and not iskeyword(name) and name.strip("_") == name
    if not plain:
        reason = "must be a Python name of ASCII letters, digits and _, not at either end"
    elif name.lower() in {method.name.lower() for method in methods(problem_named(problem))}:
        reason = "a heuristic of this name is known"
    elif find_spec(name) is not None:
        reason = "a module of this name can be imported"
    else:
        return
    raise InputError(reason, field="NAME", value=name)
