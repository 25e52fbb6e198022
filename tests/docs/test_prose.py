"""The check of the language, which ``make lint`` runs on the package and its pages."""

from pathlib import Path

import pytest

from tests.prose import findings


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("What a search needs.", 1),
        ("It depends on what runs.\nThe jobs that run beside it.", 2),
        ("```\nbeside\n```\n    beside\n`beside`: places next to the job.", 0),
        ("The file goes on.  <!-- prose: ok -->", 0),
        ("What is a certificate?", 0),
    ],
)
def test_pages(text, number):
    assert len(findings(Path("page.md"), text)) == number


def test_code_is_read_without_its_strings():
    code = '"""Return what is left."""\nname = "anew"  # computed anew\n'
    assert [line.split(":")[1] for line in findings(Path("module.py"), code)] == ["1", "2"]
