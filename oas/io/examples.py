"""The examples that come with the package, to try every command on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.core.names import unknown_name
from oas.io.files import read_bytes
from oas.io.reading import load

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oas.core.instances import Instance

MAX_BYTES = 1 << 20
_PACKAGED = Path(__file__).parents[1] / "examples"
FOLDER = _PACKAGED if _PACKAGED.exists() else Path(__file__).parents[2] / "examples"
"""Where they are: the wheel has a copy in the package, a checkout has them in their place."""

EXAMPLES: Mapping[str, str] = {
    "grid.json": "co-allocation: 8 jobs on 3 clusters whose links are tight (oas compare)",
    "saturated.json": "co-allocation: 4 jobs over links that slow down when saturated (oas price --saturation)",
    "organizations.json": "3 organizations that share their clusters, 12 jobs (oas compare, oas price)",
    "fair.json": "2 organizations that pool 3 processors, 10 jobs: figure 1 of the paper (oas fair)",
    "pool.json": "4 departments that pool 12 processors for a week, 308 jobs (oas fair)",
    "batsim-jobs.csv": "a log of Batsim's, 24 jobs (oas appraise --processors 16)",
    "sacct.txt": "a log of Slurm's, by sacct (oas appraise --processors 16)",
    "campaign.toml": "a campaign: every heuristic against the proven optimum (oas bench run)",
}
"""A line about each, by the name of its file."""


def load_example(name: str = "grid") -> Instance:
    """Read an instance that comes with the package.

    Parameters
    ----------
    name
        ``grid``, ``saturated``, ``organizations``, ``fair`` or ``pool``, with or without ``.json``.

    Raises
    ------
    InputError
        If there is no example of that name, or it is no instance but a log or a campaign.
    """
    file = example_name(name)
    if not file.endswith(".json"):
        reason = f"is no instance: {EXAMPLES[file]}; oas example {file} writes it, oas.example_path has its path"
        raise InputError(reason, field="example", value=name)
    return load(example_path(file))


def example_bytes(name: str) -> bytes:
    """Return what the example of that name holds; names and errors as `example_name`."""
    return read_bytes(example_path(name), MAX_BYTES)


def example_path(name: str) -> Path:
    """Return the path of an example, such as a job log.

    Parameters
    ----------
    name
        Of the file, with or without its suffix.

    Raises
    ------
    InputError
        If there is no example of that name.
    """
    return FOLDER / example_name(name)


def example_name(name: str) -> str:
    """Return the file name of an example, which is given with or without its suffix.

    Raises
    ------
    InputError
        If there is none.
    """
    for file in EXAMPLES:
        if name in (file, file.partition(".")[0]):
            return file
    raise unknown_name(name, [file.partition(".")[0] for file in EXAMPLES], "example")
