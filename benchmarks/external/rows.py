"""The row kept for each public instance."""

from __future__ import annotations

from benchmarks.external.instances import Cell  # noqa: TC001  (msgspec evaluates the fields)
from benchmarks.external.published import Published
from benchmarks.proof_rates.mosp.rows import CertifiedRow


class ExternalRow(CertifiedRow, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An instance of a public set; `mismatch` tells of contradictions to what is published, too.

    Attributes
    ----------
    jobs, processors
        How many jobs, and of how many processors a cluster is.
    start
        The least makespan of the heuristics, in units of time.
    found_by
        What the schedule of `oas.solve` was found by.
    published_lower, published_upper
        What is known of the optimum, see `benchmarks.external.published.Published`.
    """

    cell: Cell
    jobs: int
    processors: int
    start: int
    found_by: str
    published_lower: int
    published_upper: int | None

    @property
    def known(self) -> Published:
        """What is known of the optimum."""
        return Published(self.published_lower, self.published_upper)
