"""Lines of progress where stderr is no terminal: news, and what there is to say without any."""

from __future__ import annotations

from fractions import Fraction

from oas.exact.progress import SolveProgress
from oas.show import progress
from oas.show.progress import UNLIMITED, WAYS_OUT, ProgressLine


def shown(capsys, steps, *, unlimited: bool = False) -> list[str]:
    """The lines after (seconds, stage, bound, makespan, seconds without news) one after the other."""
    line = ProgressLine(quiet=True, unlimited=unlimited)
    line._live = False
    for seconds, stage, bound, makespan, quiet in steps:
        seen = SolveProgress(stage, seconds, Fraction(bound), Fraction(makespan))
        line(seen)
        line._remind(quiet)
        line._show(seen, seconds)
    line.__exit__(None, None, None)
    return capsys.readouterr().err.splitlines()


def test_a_line_without_news_comes_after_twice_the_pause(capsys) -> None:
    lines = shown(capsys, [(float(second), "search", 3, 4, 0) for second in range(1, 80)])
    assert [line.split()[0] for line in lines] == ["1.0", "6.0", "16.0", "36.0", "76.0"]


def test_news_are_told_every_five_seconds_and_at_the_end(capsys) -> None:
    lines = shown(capsys, [(float(second), "search", second, 90, 0) for second in range(1, 14)])
    assert [line.split()[0] for line in lines] == ["1.0", "6.0", "11.0", "13.0"]
    assert "bound 13" in lines[-1]


def test_each_stage_has_its_line(capsys) -> None:
    lines = shown(capsys, [(1.0, "start", 3, 4, 0), (1.1, "bounds", 3, 4, 0), (1.2, "search", 3, 4, 0)])
    assert [line.split()[2] for line in lines] == ["start", "bounds", "search"]


def test_no_limit_is_said_once_and_the_ways_out_after_a_minute_without_news(capsys) -> None:
    steps = [
        (1.0, "search", 3, 4, 1),
        (30.0, "search", 3, 4, 30),
        (61.0, "search", 3, 4, 61),
        (99.0, "search", 3, 4, 99),
    ]
    lines = shown(capsys, steps, unlimited=True)
    assert lines[0] == UNLIMITED and lines.count(UNLIMITED) == lines.count(WAYS_OUT) == 1
    assert lines.index(WAYS_OUT) > 1 and progress.HINT_SECONDS == 60
    assert UNLIMITED not in shown(capsys, steps)
