"""The identity of runs: hashes of the source that a run executes, and of everything that was asked for."""

from __future__ import annotations

import hashlib
import json
import subprocess
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from oas.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

# The packages that each kind of work runs through. A change anywhere in them makes earlier runs stale: too many at
# times, never too few.
_PARTS = {
    "exact": ("oas.core", "oas.bounds", "oas.models", "oas.solvers", "oas.exact", "heuristics"),
    "heuristic": ("oas.core", "oas.bounds", "heuristics"),
    "instances": ("oas.core", "oas.generate", "oas.io", "oas.campaigns.public_sets"),
}


@cache
def source_hash(kind: str, function: str = "") -> str:
    """Return a hash of the source that a run of this kind executes, with the module of a user's own function.

    A module inside a package stands for the whole package, because it may use any of it.
    """
    names = [*_PARTS[kind], *([function.partition(":")[0].partition(".")[0]] if function else [])]
    digest = hashlib.sha256()
    for name in names:
        for path in _files_of(name):
            digest.update(f"{name}/{path.name}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _files_of(name: str) -> list[Path]:
    spec = find_spec(name)
    if spec is None:
        raise InputError("cannot be found", field="function", value=name)
    if spec.submodule_search_locations:
        return sorted(path for folder in spec.submodule_search_locations for path in Path(folder).rglob("*.py"))
    return [Path(spec.origin)] if spec.origin and Path(spec.origin).exists() else []


@cache
def file_hash(path: str) -> str:
    """Return the SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def run_key(
    digest: str,
    kind: str,
    parameters: Mapping[str, object],
    source: str,
    limits: Mapping[str, object],
    seed: int,
    repetition: int,
    package: str,
) -> str:
    """Return the key of a run: the SHA-256 of all that was asked for, the same on every machine."""
    parts = [digest, kind, parameters, source, limits, seed, repetition, package]
    return hashlib.sha256(json.dumps(parts, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


@cache
def commit() -> str:
    """Return the commit of the checkout this package runs from; empty where it is none."""
    folder = Path(__file__).parent
    command = ["git", "-C", str(folder), "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=10, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""
