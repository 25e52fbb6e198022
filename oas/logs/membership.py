"""Assignment of the jobs of a log to organizations by user, group or account, with the organizations' processors.

The rules are the rows of a CSV file, or the objects of a JSON list with the same keys. `organization` is required. The
other columns are patterns for fields of the log, and `share` or `processors` of the organization:

    user,account,organization,processors
    ada,,physics,64
    ,chem-*,chemistry,32
    *,,others,16

An empty cell is no condition; ``*`` in a pattern matches any text, also that of an unknown owner. The first row that
matches a job decides. The organizations are ordered by their first rows.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError, unknown_name
from oas.core.formats import show_count
from oas.core.numbers import identifier, integer, parse_fraction
from oas.core.rigid import split_by_weights
from oas.io.decoding import read_tree
from oas.io.files import display_path, naming_file, read_bytes, uncompressed_name, unpacked
from oas.logs.logged import LIMITS, OWNER_FIELDS, csv_splitter, rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from fractions import Fraction

    from oas.io.files import Source

SIZES = ("share", "processors")
COLUMNS = (*OWNER_FIELDS, "organization", *SIZES)
_SHOWN = 3  # maximum number of unknown owners that an error names


@dataclass(frozen=True)
class Membership:
    """Rules for the organization of a job."""

    names: tuple[str, ...]  # of the organizations
    rules: tuple[tuple[tuple[tuple[str, str], ...], int], ...]  # (patterns by field, index of the organization)
    shares: tuple[Fraction, ...] = ()  # of the organizations, in any unit; empty if not given
    processors: tuple[int, ...] = ()  # of the organizations; empty if not given
    file: str | None = field(default=None, compare=False)

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of the log that the rules use."""
        used = {name for patterns, _ in self.rules for name, _ in patterns}
        return tuple(name for name in OWNER_FIELDS if name in used)

    def sizes(self, total: int | None) -> tuple[int, ...] | None:
        """Return the processors of each organization, `total` in all if shares are given; None if nothing is given.

        Raises `InputError` if `total` is needed and not known, or smaller than the number of organizations.
        """
        if self.processors:
            return self.processors
        if not self.shares:
            return None
        if total is None:
            raise InputError("must be given: the log does not say how many there are to share", field="processors")
        return tuple(split_by_weights(total, self.shares))

    def organization_of(self, owner: Mapping[str, object]) -> int | None:
        """Return the index of the organization of a job with these fields; None if no rule matches."""
        for patterns, organization in self.rules:
            if all(fnmatchcase(_text(owner.get(name)), pattern) for name, pattern in patterns):
                return organization
        return None

    def assign(self, owners: Sequence[Mapping[str, object]], jobs: Sequence[int]) -> list[int]:
        """Return the index of the organization of each owner; `jobs` are their numbers of jobs.

        Raises `InputError` if the log lacks a field that the rules use, or some owner matches no rule.
        """
        for name in self.fields:
            patterns = {pattern for one, _ in self.rules for key, pattern in one if key == name}
            if patterns != {"*"} and not any(_text(owner.get(name)) for owner in owners):
                known = [one for one in OWNER_FIELDS if any(_text(owner.get(one)) for owner in owners)]
                has = f"; it has {', '.join(known)}" if known else ""
                raise InputError(f"no job of the log has this field{has}", field=name, file=self.file)
        found = [self.organization_of(owner) for owner in owners]
        unknown: Counter[str] = Counter()
        for owner, organization, count in zip(owners, found, jobs, strict=True):
            if organization is None:
                unknown[_described(owner, self.fields)] += count
        if unknown:
            first = ", ".join(f"{name} ({show_count(count, 'job')})" for name, count in unknown.most_common(_SHOWN))
            more = f", and {len(unknown) - _SHOWN:,} more" if len(unknown) > _SHOWN else ""
            counts = f"{show_count(len(unknown), 'owner')} of {show_count(unknown.total(), 'job')}"
            raise InputError(
                f"{counts} match no row: {first}{more}; add rows, or a last row with {self.fields[0]} * and an"
                " organization for all others",
                field=self.fields[0],
                file=self.file,
            )
        return [one for one in found if one is not None]

    def to_list(self) -> list[dict[str, str]]:
        """Return the rules as the objects of a JSON file."""
        sizes = {name: values for name, values in (("share", self.shares), ("processors", self.processors)) if values}
        return [
            {
                **dict(patterns),
                "organization": self.names[organization],
                **{name: str(values[organization]) for name, values in sizes.items()},
            }
            for patterns, organization in self.rules
        ]


def membership(rules: Iterable[Mapping[str, object]], file: str | None = None) -> Membership:
    """Return rules given as mappings, such as ``{"user": "ada", "organization": "physics", "processors": 64}``.

    Raises `InputError` naming rule, key and value.
    """
    return _built(((f"[{index}]", _checked(rule, f"[{index}]")) for index, rule in enumerate(rules)), file)


def read_membership(path: Source) -> Membership:
    """Read rules from a CSV file or a JSON list; raises `InputError` naming file, place, key and value."""
    with naming_file(path):
        data = read_bytes(path, LIMITS["file_bytes"])
        if uncompressed_name(display_path(path)).lower().endswith(".json") or data.lstrip()[:1] in (b"[", b"{"):
            tree = read_tree(unpacked(data, LIMITS["text_bytes"]))
            if not isinstance(tree, list):
                raise InputError("must be a list of objects with user, group or account, and organization")
            return membership(tree, display_path(path))
        lines = rows(data, csv_splitter(), ("organization",), str.lower)
        return _built(
            ((f"line {row.line}", _checked(row.values, f"line {row.line}")) for row in lines), display_path(path)
        )


def _checked(rule: object, place: str) -> dict[str, str]:
    """Return the keys and values of a rule that are not empty, as texts."""
    if not isinstance(rule, dict):
        raise InputError("must be an object", field=place, value=rule)
    for key in rule:
        if key not in COLUMNS:
            raise unknown_name(key, COLUMNS, f"{place}, {key}", reason="there is no such column")
    for key, value in rule.items():
        if isinstance(value, bool | list | dict):
            raise InputError("must be text or a number", field=f"{place}, {key}", value=value)
    return {key: text for key, value in rule.items() if (text := _text(value))}


def _built(rules: Iterable[tuple[str, dict[str, str]]], file: str | None) -> Membership:
    names: dict[str, int] = {}
    built = []
    seen: dict[object, tuple[int, str]] = {}
    sizes: dict[str, dict[int, Any]] = {name: {} for name in SIZES}
    for place, rule in rules:
        if "organization" not in rule:
            raise InputError("is missing", field=f"{place}, organization")
        name = identifier(rule["organization"], f"{place}, organization")
        organization = names.setdefault(name, len(names))
        patterns = tuple((key, rule[key]) for key in OWNER_FIELDS if key in rule)
        if not patterns:
            reason = f"must have a pattern for {', '.join(OWNER_FIELDS)}; * for all jobs"
            raise InputError(reason, field=place, value=name)
        first = seen.setdefault(patterns, (organization, place))
        if first[0] != organization:
            reason = f"the same patterns are in {first[1]}, for another organization"
            raise InputError(reason, field=place, value=name)
        built.append((patterns, organization))
        for size in SIZES:
            if size in rule:
                number = _size(rule[size], size, f"{place}, {size}")
                if sizes[size].setdefault(organization, number) != number:
                    reason = f"{name} has another one in a row before: {sizes[size][organization]}"
                    raise InputError(reason, field=f"{place}, {size}", value=rule[size])
    if not built:
        raise InputError("there is no row")
    if sizes["share"] and sizes["processors"]:
        raise InputError("give either shares or processors, not both", field="share")
    for size, numbers in sizes.items():
        missing = [name for name, organization in names.items() if organization not in numbers]
        if numbers and missing:
            raise InputError(f"missing for {', '.join(missing[:5])}; other organizations have it", field=size)
    shares, processors = ([numbers[k] for k in range(len(names))] if numbers else [] for numbers in sizes.values())
    return Membership(tuple(names), tuple(built), tuple(shares), tuple(processors), file)


def _size(text: str, size: str, place: str) -> Fraction | int:
    try:
        value = parse_fraction(text)
    except InputError as error:
        error.field = place
        raise
    if size == "processors":
        return integer(value, place, least=1)
    if value <= 0:
        raise InputError("must be above 0", field=place, value=text)
    return value


def _text(value: object) -> str:
    """Return a value of a log or a rule as text; empty for unknown."""
    return "" if value is None else str(value).strip()


def _described(owner: Mapping[str, object], fields: Sequence[str]) -> str:
    parts = [f"{name} {_text(owner.get(name)) or 'unknown'}" for name in fields]
    return ", ".join(parts)
