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
from typing import Annotated, Any

from typer import Argument, Option

from oas.cli import options as opt
from oas.cli.output import attributes, deliver, leave, put
from oas.core.errors import InputError
from oas.core.registry import problem_named, problem_names
from oas.show.progress import ProgressLine
from oas.solving.methods import methods
from oas.testing import Outcome, Report, check_heuristic
from oas.testing.parts import kit_parts
from oas.testing.text import report_parts


def new_heuristic_command(
    name: Annotated[str, Argument(metavar="NAME", help="Name of the heuristic, its module and its package.")],
    problem: str = opt.problem_option("Problem that the heuristic solves.", default=problem_names()[0]),
    output: str = opt.option(".", "FOLDER", "Folder in which the folder NAME is created.", "--output", "-o"),
) -> None:
    """Write a small working package as a starting point for your own heuristic.

    The package contains a heuristic, a test that runs the test kit, and a pyproject.toml with an entry point. Once the
    package is installed, `oas compare` includes the heuristic. Existing files are not overwritten.

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
    template = kit_parts(problem_named(problem)).template
    if not template:
        raise InputError("has no template for heuristics", field="--problem", value=problem)
    templates = {
        f"{name}.py": (template, "the heuristic"),
        f"test_{name}.py": ("test.py.txt", "its test"),
        "pyproject.toml": ("pyproject.toml.txt", "its package, with the entry point"),
    }
    folder.mkdir(parents=True)
    for file, (template, description) in templates.items():
        text = files("oas.testing").joinpath("template", template).read_text(encoding="utf-8")
        content = Template(text).substitute(name=name, distribution=name.replace("_", "-"))
        (folder / file).write_text(content, encoding="utf-8")
        put(f"{folder / file}: {description}\n")
    put(f"\nnext: pip install -e {folder}\n")


def _check_name(name: str, problem: str) -> None:
    """Refuse a name that is not a valid module name, or that a heuristic or module already has."""
    if not (name.isascii() and name.isidentifier() and not iskeyword(name) and name.strip("_") == name):
        reason = "must be a Python name of ASCII letters, digits and _, without _ at either end"
    elif name.lower() in {method.name.lower() for method in methods(problem_named(problem))}:
        reason = "there is already a heuristic of this name"
    elif find_spec(name) is not None:
        reason = "there is already a Python module of this name"
    else:
        return
    raise InputError(reason, field="NAME", value=name)


@dataclass(frozen=True)
class KitOptions:
    """Test instances and limits: arguments of `oas.testing.check_heuristic`."""

    random: int = opt.option(50, "N", "Number of tiny random instances, solved exactly.", min=0)
    medium: int = opt.option(6, "N", "Number of larger random instances, compared with proven bounds.", min=0)
    gallery: bool = Option(True, help="Also run the papers' worst cases, which are all for organizations.")
    time_limit: float = opt.option(10.0, "SECONDS", "Wall-time limit of each call, which is then ended.", min=0.01)
    seed: int = opt.option(0, "N", "Seed of the first random instance, and of each call.", min=0)


def test_heuristic_command(
    heuristic: Annotated[str, Argument(metavar="NAME", help="package.module:function, or an installed heuristic.")],
    problem: str | None = opt.problem_option("Problem of a plain function. Default: coallocation.", default=None),
    file: list[str] | None = opt.option(None, "FILE", "Also run the heuristic on this instance; repeatable.", "--file"),
    *,
    kit: KitOptions,
    save: str | None = opt.option(None, "FOLDER", "Write the worst instance and one per kind of finding here."),
    as_json: opt.AsJson = False,
    quiet: opt.Quiet = False,
) -> None:
    """Run your own heuristic on many instances, verify each schedule, and compare it with the optimum.

    The test kit reports broken rules, exceptions, schedules that differ between runs, changes to the instance, calls
    that do not end, and makespans above a guarantee of the method; for policies of fair sharing, also decisions that
    depend on future events. One finding of each kind is shrunk to a small instance. The exit code is 3 if there is a
    finding, or if the heuristic schedules no instance at all.

    Examples
    --------
      oas test-heuristic mypackage.mymodule:my_heuristic
      oas test-heuristic mymodule:my_rule --problem mosp --random 200 --save found/
      oas test-heuristic 'ILBA(4)' --json
      oas test-heuristic mymodule:my_policy
    """
    if save is not None and Path(save).exists() and not Path(save).is_dir():
        raise InputError("is not a folder", field="--save", value=save)
    # Output of a user's heuristic goes to stderr, not into the table or the JSON document.
    with ProgressLine(quiet) as progress, redirect_stdout(sys.stderr):
        instances = [opt.load_instance(path, None) for path in file or []]
        report = check_heuristic(heuristic, problem=problem, instances=instances, **vars(kit), on_progress=progress)
    deliver(lambda: _document(report), lambda: report_parts(report), as_json)
    for path in report.save(save) if save else []:
        sys.stderr.write(f"written: {path}\n")
    leave(violated=not report.ok)


def _document(report: Report) -> dict[str, Any]:
    return {
        "heuristic": report.method.name,
        **attributes(report, "seed", "ok", "left_out"),
        "standings": [attributes(row, "method", "scheduled", "optimal", "mean", "worst") for row in report.standings],
        "instances": [_outcome(outcome) for outcome in report.outcomes],
    }


def _outcome(outcome: Outcome) -> dict[str, Any]:
    return {
        **attributes(outcome.case, "source", "name"),
        "digest": outcome.instance.digest,
        "makespan": None if outcome.schedule is None else outcome.schedule.makespan,
        "lower_bound": outcome.case.lower_bound,
        "best": outcome.case.best_known,
        "ratio": outcome.ratio,
        "guarantee": None if outcome.guarantee is None else outcome.guarantee.value,
        "refusal": outcome.refusal,
        "finding": None if outcome.finding is None else attributes(outcome.finding, "kind", "message"),
        "seconds": outcome.seconds,
    }
