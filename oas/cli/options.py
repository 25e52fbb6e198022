"""Options that several commands share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from oas.core.errors import InputError

if TYPE_CHECKING:
    from oas.core.coallocation import CoallocationInstance

InstanceFile = Annotated[str, typer.Argument(metavar="FILE", help="Instance file (oas-instance JSON); - for stdin.")]
Slot = Annotated[
    str | None,
    typer.Option("--slot", metavar="TIME", help="Use this slot size η instead of the file's; 0 is continuous time."),
]
Solver = Annotated[str, typer.Option(help="highs, cbc, or any MIP solver that Pyomo finds under this name.")]
FormulationName = Annotated[
    str, typer.Option("--formulation", help="auto, start-indexed, literal, or brute-force (tiny instances).")
]
Check = Annotated[
    list[str] | None,
    typer.Option(
        "--check",
        metavar="SOLVER[:FORMULATION]",
        help="Let another solver confirm a proven optimum; may be given several times.",
    ),
]
TimeLimit = Annotated[
    float | None, typer.Option(metavar="SECONDS", help="Wall time for the solve; each --check has as much again.")
]
MemoryLimit = Annotated[
    int | None, typer.Option(metavar="MIB", help="Memory that a solver may hold, watched from outside.")
]
Threads = Annotated[int, typer.Option(help="Threads of the solver.")]
Seed = Annotated[int, typer.Option(help="Seed of the solver and of heuristics.")]
SolverOption = Annotated[
    list[str] | None,
    typer.Option("--option", metavar="NAME=VALUE", help="Further option by the solver's own name; repeatable."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Gantt = Annotated[
    str | None, typer.Option("--gantt", metavar="PICTURE", help="Also draw a Gantt chart: a .png or .svg file.")
]
Output = Annotated[str | None, typer.Option("--output", "-o", metavar="PATH", help="Also write the result there.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress on stderr.")]


def load_instance(file: str, slot: str | None) -> CoallocationInstance:
    """Read the instance, at another slot size if one is given."""
    from oas.io import load

    instance = load(file)
    if slot is None:
        return instance
    try:
        return instance.with_slot(slot)
    except InputError as error:
        error.field = "--slot"
        raise


def solver_options(texts: list[str] | None) -> dict[str, object]:
    """Read ``name=value`` pairs; values that look like numbers or truth values become such."""
    options: dict[str, object] = {}
    for text in texts or []:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise InputError("must be NAME=VALUE", field="--option", value=text)
        options[name] = _plain(value)
    return options


def memory_bytes(mebibytes: int | None) -> int | None:
    """Return the limit in bytes."""
    return None if mebibytes is None else mebibytes * 2**20


def _plain(text: str) -> object:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
