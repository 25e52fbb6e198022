"""`oas new-heuristic` and `oas test-heuristic`."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib.resources import files
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from oas.cli import options as opt
from oas.cli.output import attributes, deliver, leave, put
from oas.core.errors import InputError
from oas.problems.registry import problem_named, problem_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oas.show.tables import Part
    from oas.testing import Outcome, Report


def new_heuristic_command(
    name: Annotated[str, Argument(metavar="NAME", help="Of the heuristic, its module and its package.")],
    problem: str = opt.problem_option(
        "What it schedules: jobs over clusters, or organizations.", default=problem_names()[0]
    ),
    output: str = opt.option(".", "FOLDER", "Where its folder NAME is made.", "--output", "-o"),
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


@dataclass(frozen=True)
class KitOptions:
    """Which instances a heuristic is tested on: arguments of `oas.testing.check_heuristic`."""

    random: int = opt.option(50, "N", "Tiny random instances, solved exactly.", min=0)
    medium: int = opt.option(6, "N", "Larger random instances, with proven bounds.", min=0)
    gallery: bool = Option(True, help="The papers' worst cases, all of organizations.")
    time_limit: float = opt.option(10.0, "SECONDS", "Wall time of each call, which is ended when it passes.", min=0.01)
    seed: int = opt.option(0, "N", "Of the first random instance, and of each call.", min=0)


def test_heuristic_command(
    heuristic: Annotated[
        str, Argument(metavar="NAME", help="package.module:function or :policy, or an installed heuristic's name.")
    ],
    problem: str | None = opt.problem_option(
        "What a bare function is for: coallocation unless said; a METHOD says it itself.", default=None
    ),
    file: list[str] | None = opt.option(None, "FILE", "Run it on this instance too; repeatable.", "--file"),
    *,
    asked: KitOptions,
    save: str | None = opt.option(None, "FOLDER", "Write the worst instance and one for each finding there."),
    as_json: opt.AsJson = False,
    quiet: opt.Quiet = False,
) -> None:
    """Run a heuristic of your own over many instances, verify all it returns, and hold it against the optimum.

    Looked for are broken rules, exceptions, schedules that differ from run to run, changes to the instance, calls that
    do not end, and makespans above a guarantee that the method claims; of policies of fair sharing, also decisions that
    rest on what has not happened yet. The first finding of each sort is shrunk to a small instance. Exit code 3 if
    anything is wrong, also if it schedules no instance at all.

    Examples
    --------
      oas test-heuristic mypackage.mymodule:my_heuristic
      oas test-heuristic mymodule:my_rule --problem mosp --random 200 --save found/
      oas test-heuristic 'ILBA(4)' --json
      oas test-heuristic mymodule:my_policy
    """
    if save is not None and Path(save).exists() and not Path(save).is_dir():
        raise InputError("is not a folder", field="--save", value=save)
    from oas.show.progress import ProgressLine
    from oas.testing import check_heuristic

    # A heuristic of the user's own may print what it likes: not into our table or JSON.
    with ProgressLine(quiet) as progress, redirect_stdout(sys.stderr):
        instances = [opt.load_instance(one, None) for one in file or []]
        report = check_heuristic(heuristic, problem=problem, instances=instances, **vars(asked), on_progress=progress)
    deliver(lambda: _document(report), lambda: _shown(report), as_json)
    for path in report.save(save) if save else []:
        sys.stderr.write(f"written: {path}\n")
    leave(violated=not report.ok)


def _shown(report: Report) -> Iterator[Part]:
    from oas.show.tables import Table
    from oas.testing.text import report_parts

    side = ("longest call", "number", "at most", "scheduled", "optimal")
    for part in report_parts(report):
        yield part if isinstance(part, str) else Table(part[0], part[1:], side, ruled=False)


def _document(report: Report) -> dict[str, Any]:
    return {
        "heuristic": report.method.name,
        **attributes(report, "seed", "ok", "left_out"),
        "standings": [attributes(one, "method", "scheduled", "optimal", "mean", "worst") for one in report.standings],
        "instances": [_outcome(one) for one in report.outcomes],
    }


def _outcome(one: Outcome) -> dict[str, Any]:
    return {
        **attributes(one.case, "source", "name"),
        "digest": one.instance.digest,
        "makespan": None if one.schedule is None else one.schedule.makespan,
        "lower_bound": one.case.least,
        "best": one.case.most,
        "ratio": one.ratio,
        "guarantee": None if one.guarantee is None else one.guarantee.value,
        "refusal": one.refusal,
        "finding": None if one.finding is None else attributes(one.finding, "kind", "message"),
        "seconds": one.seconds,
    }
