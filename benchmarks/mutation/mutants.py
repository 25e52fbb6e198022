"""Mutants: faults that occurred, and changes that cosmic-ray makes, drawn by a seed."""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).parents[2]
FAULTS = "faults that occurred"
FAULT_SECONDS = 120
NEAREST = 3  # test files are run on a mutant


@dataclass(frozen=True)
class Mutant:
    """A change of one file, and the tests that should notice it within a limit in seconds of processor time.

    A mutant that survives the nearest tests is tried on the others too, if there are any.
    """

    package: str
    file: Path
    line: int
    change: str
    text: str
    tests: tuple[str, ...]
    seconds: int
    others: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """A digest of the changed file, by which results are found again."""
        return hashlib.sha256(f"{self.file}\n{self.text}".encode()).hexdigest()[:16]


def read_toml(name: str) -> dict[str, Any]:
    """Return a file of this folder."""
    return tomllib.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))


def faults() -> list[Mutant]:
    """Return the faults of `faults.toml`.

    ValueError if the text to replace does not occur exactly once in its file.
    """
    made = []
    for fault in read_toml("faults.toml")["fault"]:
        source = (ROOT / fault["file"]).read_text(encoding="utf-8")
        before, *after = source.split(fault["old"])
        if len(after) != 1:
            raise ValueError(f"{fault['file']}: {fault['old']!r} occurs {len(after)} times, not once")
        line, text = before.count("\n") + 1, before + fault["new"] + after[0]
        tests = tuple(fault["tests"])
        made.append(Mutant(FAULTS, Path(fault["file"]), line, fault["breaks"], text, tests, FAULT_SECONDS))
    return made


def mutants_of(package: dict[str, Any], seed: int) -> list[Mutant]:
    """Return mutants of a package, drawn by `seed` among all that the operators of `mutation.toml` make."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    options, places = read_toml("mutation.toml"), []
    operators = [get_operator(f"core/{name}")() for name in options["operators"]]
    for file in _paths(package["modules"]):
        if file.name in options["skipped_files"]:
            continue
        source = (ROOT / file).read_text(encoding="utf-8")
        lines, nodes = source.splitlines(), list(ast_nodes(get_ast(source)))
        for operator in operators:
            found = [line for node in nodes for (line, _), _ in operator.mutation_positions(node)]
            places += [
                (file, source, line, operator, occurrence)
                for occurrence, line in enumerate(found)
                if not any(word in lines[line - 1] for word in options["skipped_lines"])
            ]
    made = []
    drawn = Random(f"{seed} {package['name']}").sample(places, min(package["mutants"], len(places)))
    for file, source, line, operator, occurrence in drawn:
        text = mutate_code(source, operator, occurrence)
        change = " → ".join(one.splitlines()[line - 1].strip() for one in (source, text))
        tests = tuple(nearest_tests(file, _paths(package["tests"])))
        others = tuple(package.get("others", ()))
        made.append(Mutant(package["name"], file, line, change, text, tests, package["seconds"], others))
    return made


def nearest_tests(module: Path, tests: list[Path]) -> list[str]:
    """Return the test files that name most of the module's path, or share most words with it, nearest first."""
    parts = module.with_suffix("").parts
    names = [".".join(parts[:count]) for count in range(len(parts), 0, -1)]

    def distance(test: Path) -> tuple[int, int]:
        text = (ROOT / test).read_text(encoding="utf-8")
        named = next((place for place, name in enumerate(names) if name in text), len(names))
        return named, -len(_words(module) & _words(test))

    return [str(test) for test in sorted(tests, key=distance)[:NEAREST]]


def _words(path: Path) -> set[str]:
    return {word for part in path.with_suffix("").parts for word in part.split("_")}


def _paths(patterns: list[str]) -> list[Path]:
    """Return the files of the source tree that patterns match, relative to its root."""
    return sorted({path.relative_to(ROOT) for pattern in patterns for path in ROOT.glob(pattern)})
