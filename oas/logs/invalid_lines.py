"""Invalid lines or jobs of a job log: refused, or left out and counted if the user asked for this."""

from __future__ import annotations

from dataclasses import dataclass

from oas.core.errors import InputError, abbreviated


@dataclass
class InvalidLines:
    """Treatment of invalid lines, or jobs of a file without lines, and those that were left out.

    Attributes
    ----------
    skip
        Whether they are left out; None if the reader does not offer this.
    count
        Number of lines left out.
    first
        Error of the first one.
    noun
        ``line`` or ``job``.
    """

    skip: bool | None = None
    count: int = 0
    first: str = ""
    noun: str = "line"

    def refuse(self, error: InputError) -> None:
        """Raise the error of a line, unless invalid lines are left out; then count it."""
        if not self.skip:
            hint = f"; --skip-invalid leaves out such {self.noun}s"
            if self.skip is not None and not error.reason.endswith(hint):
                error.reason += hint
            raise error
        self.first = self.first or abbreviated(str(error))
        self.count += 1

    @property
    def skipped(self) -> dict[str, int]:
        """The number of lines left out, by reason."""
        return {f"invalid {self.noun}": self.count} if self.count else {}

    @property
    def remarks(self) -> tuple[str, ...]:
        """A sentence about the lines left out, if any."""
        if not self.count:
            return ()
        noun = f"{self.noun} was" if self.count == 1 else f"{self.noun}s were"
        return (f"{self.count:,} invalid {noun} left out, the first: {self.first}",)
