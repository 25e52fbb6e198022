"""Invalid lines of a job log: refused, or left out and counted if the user asked for this."""

from __future__ import annotations

from dataclasses import dataclass

from oas.core.errors import InputError, abbreviated

REASON = "invalid line"
_HINT = "; --skip-invalid leaves out such lines"


@dataclass
class InvalidLines:
    """Treatment of invalid lines, and those that were left out.

    Attributes
    ----------
    skip
        Whether they are left out; None if the reader does not offer this.
    count
        Number of lines left out.
    first
        Error of the first one.
    """

    skip: bool | None = None
    count: int = 0
    first: str = ""

    def refuse(self, error: InputError) -> None:
        """Raise the error of a line, unless invalid lines are left out; then count it."""
        if not self.skip:
            if self.skip is not None and not error.reason.endswith(_HINT):
                error.reason += _HINT
            raise error
        self.first = self.first or abbreviated(str(error))
        self.count += 1

    @property
    def skipped(self) -> dict[str, int]:
        """The number of lines left out, by reason."""
        return {REASON: self.count} if self.count else {}

    @property
    def remarks(self) -> tuple[str, ...]:
        """A sentence about the lines left out, if any."""
        if not self.count:
            return ()
        noun = "line was" if self.count == 1 else "lines were"
        return (f"{self.count:,} invalid {noun} left out, the first: {self.first}",)
