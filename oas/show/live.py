"""Progress of a solve while it runs: ``display=True``."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from oas.show.progress import ProgressLine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oas.exact.progress import SolveProgress


@contextmanager
def following(on_progress: Callable[[SolveProgress], None] | None) -> Iterator[Callable[[SolveProgress], None]]:
    """Show the progress reports that are made inside, and hand them on to `on_progress`.

    In a notebook that is a chart of bound and makespan over time, elsewhere a line on stderr.
    """
    view = _view()

    def report(seen: SolveProgress) -> None:
        view(seen)
        if on_progress is not None:
            on_progress(seen)

    with view:
        yield report


def in_notebook() -> bool:
    """Tell whether what is displayed is seen on a page: whether a Jupyter kernel runs this."""
    if "IPython" not in sys.modules:
        return False
    from IPython import get_ipython

    return getattr(get_ipython(), "kernel", None) is not None


def _view() -> Any:
    if not in_notebook():
        return ProgressLine(quiet=False)
    from oas.show.live_chart import LiveChart

    return LiveChart()
