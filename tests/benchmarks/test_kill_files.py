"""Writers under test, in a smoke size; the long check is `python -m benchmarks.robustness.kill_files`."""

from __future__ import annotations

import pytest
from msgspec import structs

from benchmarks.library_update import create
from benchmarks.robustness.kill_files import FileKillTest
from oas.io.library_index import write_index
from oas.library import Library


@pytest.mark.slow
def test_a_few_kills(tmp_path):
    test = FileKillTest(tmp_path, seed=1, entries=2)
    test.results(1)
    test.libraries(3)
    assert test.violations == []
    assert test.kills.total() == 3 and test.rounds


def test_it_sees_what_it_looks_for(tmp_path):
    test = FileKillTest(tmp_path, seed=1, entries=2)
    whole = Library()
    entries = [whole["wc-matching"], whole["oas-8-3x4-tight-50-s1"]]
    folder = tmp_path / "library"
    folder.mkdir()
    create(folder, structs.replace(whole.index, entries=entries))
    (folder / "results").mkdir()
    for one in entries:
        (folder / "results" / one.file).write_bytes((whole.folder / "results" / one.file).read_bytes())
    seen = {}
    test.look(folder, seen)
    test.check_end(folder)
    assert test.violations == [] and len(seen) == 2

    lost = structs.replace(entries[0], result=None, records=[])
    write_index(structs.replace(whole.index, entries=[lost, entries[1]]), folder / "index.json")
    (folder / "results" / entries[1].file).write_bytes(b"half")
    test.look(folder, dict(seen))
    seen.pop(entries[1].name)
    test.look(folder, seen)
    (folder / ".index.json.0123.tmp").write_text("{")
    test.check_end(folder)
    text = "\n".join(test.violations)
    for words in ("lost or changed", "damaged", "not exactly one record", "half a file was left over"):
        assert words in text
    assert test.litter == 2  # the result that no entry names, and the half
