"""The benchmark of links that matter, on instances small enough for brute force."""

from pathlib import Path

from benchmarks.measurements.coallocation.tight_links import links_matter, main, without_links
from oas.exact.coallocation.brute_force import brute_force
from oas.generate import tiny


def test_answers_are_those_of_brute_force() -> None:
    answers = []
    for seed in range(25):
        instance = tiny(seed=seed, jobs=3, nodes=5)
        truth = brute_force(instance)[0] > brute_force(without_links(instance))[0]
        answers.append(links_matter(instance, seconds=120))
        assert answers[-1] is truth, seed
    assert {True, False} == set(answers)


def test_the_report_says_how_it_was_made(tmp_path: Path) -> None:
    path = tmp_path / "table.md"
    assert main(["--seeds", "1", "--seconds", "120", "--output", str(path)]) == 0
    text = path.read_text(encoding="utf-8")
    assert "python -m benchmarks.measurements.coallocation.tight_links --seeds 1 --seconds 120" in text
    assert "| std | 100 % | 1 | 1 | 0 | 0 % |" in text
    assert text.count("| tight |") == 2
