"""The stand-alone checker as one file: what it is made of, and that it runs with nothing but Python beside it."""

from __future__ import annotations

import ast
import gzip
import re
import sys
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from oas.io import dumps
from oas.io.checker_file import FOLDER, PACKAGE, bundle, parts
from oas.library import Library
from oas.solving.recheck import recheck_result
from tests.checker.bundled import Checker

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.commands import Shown

ENTRY = "oas-16-3x4-tight-50-s0"


@pytest.fixture(scope="module")
def checker(tmp_path_factory: pytest.TempPathFactory) -> Checker:
    made = Checker(tmp_path_factory.mktemp("checker"))
    library = Library()
    made.file(library.instance(ENTRY), "instance.json")
    made.file(library.result(ENTRY), "result.json")
    return made


def test_every_module_is_in_it() -> None:
    assert {part.name for part in parts()} == {path.stem for path in FOLDER.glob("*.py")} - {"__init__"}


def test_modules_import_the_standard_library_and_names_of_each_other() -> None:
    for part in parts():
        tree = ast.parse(part.source)
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                assert node in tree.body, part.name
                assert {one.name.partition(".")[0] for one in node.names} <= sys.stdlib_module_names, part.name
            elif isinstance(node, ast.ImportFrom):
                assert node in tree.body and node.level == 0 and node.module, part.name
                own = node.module.startswith(PACKAGE) and not any(one.asname for one in node.names)
                assert own or node.module.partition(".")[0] in sys.stdlib_module_names, (part.name, node.module)


def bound_names(node: ast.stmt) -> list[str]:
    """Return the names that a statement at the top of a module binds, but for imports."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    return [one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]


def test_every_top_level_name_occurs_once() -> None:
    held = parts()
    names = Counter(name for part in held for node in ast.parse(part.source).body for name in bound_names(node))
    imported = {line.split()[-1] for part in held for line in part.imports}
    assert [name for name, count in names.items() if count > 1 or name in imported] == []


def test_its_text_is_python_of_the_oldest_version_and_the_same_each_time() -> None:
    text = bundle("1.2.3")
    ast.parse(text, feature_version=(3, 11))
    assert text == bundle("1.2.3")
    assert "oas-scheduling 1.2.3" in text
    assert re.search(r"^\s*(from|import) oas\b", text, re.MULTILINE) is None


def test_the_command_writes_it_and_overwrites_nothing(run_here: Callable[..., Shown]) -> None:
    shown = run_here("checker", "-o", "-")
    assert shown.returncode == 0 and "def check_mosp_schedule(" in shown.stdout
    assert run_here("checker").stdout == "check_certificate.py\n"
    assert run_here("checker").returncode == 2
    assert run_here("checker", "-o", "check_certificate.py").returncode == 0


@pytest.mark.parametrize("flags", [("-I", "-S"), pytest.param(("-I", "-S", "-O"), marks=pytest.mark.slow)])
def test_it_runs_with_nothing_beside_it(checker: Checker, flags: tuple[str, ...]) -> None:
    library = Library()
    result = library.result(ENTRY)
    assert result is not None
    lines = recheck_result(library.instance(ENTRY), result)
    assert checker.run("instance.json", "result.json", flags=flags) == (0, lines, [])
    assert checker.run("instance.json", "-", flags=flags, data=gzip.compress(dumps(result))) == (0, lines, [])
    raised = dumps(result).replace(b'"status": "optimal"', b'"status": "infeasible"')
    code, found, errors = checker.run("instance.json", checker.file(raised, "raised.json"), flags=flags)
    assert (code, found, len(errors)) == (3, [], 1)


def test_bad_files_are_one_line_and_no_traceback(checker: Checker) -> None:
    good = (checker.folder / "instance.json").read_bytes()
    bad = {
        "none.json": None,
        "empty.json": b"",
        "deep.json": b"[" * 100_000,
        "list.json": b"[]",
        "other.json": b'{"format": "oas-schedule", "version": 1, "placements": []}',
        "twice.json": good.replace(b'"version": 1,', b'"version": 1, "version": 1,'),
        "nan.json": good.replace(b'"version": 1,', b'"version": NaN,'),
        "latin.json": good.replace(b'"version"', b'"versi\xf3n"'),
        "torn.json": gzip.compress(good)[:-20],
        "steers.json": good.replace(b'"version"', b'"vers\\u001b[2Jion"'),
    }
    for name, data in bad.items():
        if data is not None:
            checker.file(data, name)
        code, lines, errors = checker.main(name, "result.json")
        assert (code, lines, len(errors)) == (2, [], 1), (name, errors)
        assert errors[0].startswith(f"{name}: ") and "\x1b" not in errors[0]
    assert checker.run("none.json", "result.json") == (2, [], ["none.json: cannot be read: No such file or directory"])
    assert checker.main("instance.json").code == checker.main("-", "-").code == 2
    assert checker.main("--help").code == 0


def test_patience_multiplies_the_steps(checker: Checker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checker.module.Effort, "patience", 1)
    files = "instance.json", "result.json"
    code, lines, _ = checker.main(*files)
    assert code == 0 and "configurations" in lines[1]
    monkeypatch.setattr(checker.module.Effort.__init__, "__defaults__", (1,))
    code, lines, errors = checker.main(*files)
    assert (code, lines, len(errors)) == (3, [], 1) and "a patience of 1 allows" in errors[0]
    assert checker.main("--patience", "999999", *files).code == 0
    for wrong in ("0", "-1", "1.5", "1000000", "x", "²"):
        code, lines, errors = checker.main("--patience", wrong, *files)
        assert (code, lines) == (2, []) and errors == ["--patience: must be a whole number from 1 to 999999"]
    assert checker.main("--patience").code == 2
