"""The same jobs as `sacct` and its users write them: delimiters, quotes, times, units, states, steps, encodings."""

from __future__ import annotations

import gzip
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from random import Random
from zoneinfo import ZoneInfo

# Forms that cannot be read, and a part of the error
SPOILED = {
    "clusters": "another cluster than",
    "milliseconds": "not milliseconds",
    "minutes": "must be seconds since 1970",
    "rounded": "--noconvert",
    "cr": "lines end in CR alone",
}
LOCAL = ("zone", "elapsed", "local")  # kinds of times without an offset
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Nights with a change of clocks, and a quiet day in June, on which no usual zone has one
_ZONES = {"Europe/Berlin": (2026, 3, 28), "America/New_York": (2026, 10, 31), "Australia/Sydney": (2026, 4, 4)}
_FALLS = {"Europe/Berlin": (2026, 10, 24), "America/New_York": (2026, 3, 7), "Australia/Sydney": (2026, 10, 3)}
_QUIET = (2026, 6, 20)
_STATES = (
    *("COMPLETED", "COMPLETED", "FAILED", "CANCELLED", "CANCELLED by 1000", "CANCELLED+", "TIMEOUT", "NODE_FAIL"),
    *("OUT_OF_MEMORY", "PREEMPTED", "REQUEUED", "BOOT_FAIL", "DEADLINE"),
)
_WORDS = ("run", "a b", "grüß", "x=1", "--mem", "日本", "#!", "'q'", "$HOME/in", "%j", "\\t")


@dataclass
class Truth:
    """A job that held processors: times in seconds since 1970."""

    id: str
    submit: int
    start: int
    end: int
    processors: int
    running: bool = False  # whether it had not ended when the log was written; `end` is then that moment


@dataclass
class Dialect:
    """The form of one file."""

    rng: Random
    delimiter: str
    quoted: bool
    trailing: bool
    times: str  # ``epoch``, ``float``, ``offset``, ``zone`` (told to the reader), ``elapsed`` (no zone), ``local``
    zone: str
    ends: str  # ``end``, ``elapsed``, ``both``
    count: str  # column with the processors
    columns: list[str]
    broken: bool  # whether texts contain delimiters, line breaks and quotes
    spoiled: str  # the reason why the file must be refused, a key of `SPOILED`; empty if it must be read

    cluster: str = ""  # of the row that is being written

    @property
    def ambiguous(self) -> bool:
        """Whether a text may make a row ambiguous."""
        return self.broken and not self.quoted

    def time(self, moment: int) -> str:
        if self.times in ("epoch", "float"):
            moment *= 1000 if self.spoiled == "milliseconds" else 1
            return f"{moment}.0" if self.times == "float" else str(moment)
        there = (_EPOCH + timedelta(seconds=moment)).astimezone(ZoneInfo(self.zone))
        text = there.replace(tzinfo=None).isoformat()
        text = text[:-3] if self.spoiled == "minutes" else text
        if self.times != "offset":
            return text
        offset = there.strftime("%z")
        return text + self.rng.choice([offset, f"{offset[:3]}:{offset[3:]}"])


def sacct_file(seed: int, index: int) -> tuple[str, bytes, dict[str, str], list[Truth], Dialect]:
    """Return a file: its description, content, arguments for the reader, its jobs, and its dialect."""
    rng = Random(f"{seed}:{index}")
    dialect = _dialect(rng)
    jobs = _jobs(rng, dialect)
    rows = _rows(rng, dialect, jobs)
    heading = dialect.delimiter.join(_quoted(name, dialect) for name in dialect.columns)
    heading += dialect.delimiter if dialect.trailing else ""
    comments = ["# a remark", "#", "#SBATCH -n 4"] if dialect.columns[0].lower() == "jobid" else []
    lines = [*rng.choice([[], [], comments]), rng.choice(["", "", "", "#", "# "]) + heading]
    for row in rows:
        lines.append(row)
        if rng.random() < 0.03:
            lines.append(rng.choice(["", heading, row, *comments]))
    end = "\r" if dialect.spoiled == "cr" else rng.choice(["\n", "\n", "\r\n"])
    text = end.join(lines) + (end if rng.random() < 0.8 else "")
    data = text.encode(rng.choice(["utf-8", "utf-8", "utf-8-sig"]))
    if dialect.broken:
        data = data.replace("grüß".encode(), "grüß".encode(rng.choice(["utf-8", "latin-1"])))
    if rng.random() < 0.1:
        data = gzip.compress(data, mtime=0)
    options = {"unit": "nodes" if dialect.count == "NNodes" else "cpus"}
    if dialect.times == "zone":
        options["timezone"] = dialect.zone
    name = f"{dialect.delimiter!r}, {dialect.times}, {dialect.ends}, {dialect.count}"
    return name, data, options, jobs, dialect


def _dialect(rng: Random) -> Dialect:
    delimiter = rng.choice(["|", "|", "|", ",", "\t", ";", "~", "||", "^", "@@"])
    quoted = len(delimiter) == 1 and rng.random() < 0.3
    times = rng.choice(["epoch", "float", "offset", "zone", "elapsed", "local"])
    ends = "both" if times == "elapsed" else rng.choice(["end", "elapsed", "both"])
    count = rng.choice(["AllocCPUS", "NCPUS", "NNodes", "AllocTRES"])
    columns = ["Submit", "Start", "State", count]
    columns += ["End"] if ends != "elapsed" else []
    columns += [rng.choice(["Elapsed", "ElapsedRaw"])] if ends != "end" else []
    extra = ["JobName", "WorkDir", "SubmitLine", "Comment", "Partition", "User", "ExitCode", "NodeList", "QOS"]
    columns += rng.sample(extra, rng.randint(0, 5))
    rng.shuffle(columns)
    columns.insert(0 if rng.random() < 0.8 else rng.randint(0, len(columns)), "JobID")
    if rng.random() < 0.2:
        columns.insert(rng.randint(1, len(columns)), "Cluster")
    broken = rng.random() < 0.4
    possible = [
        *([] if broken else ["cr"]),
        *(["clusters"] if "Cluster" in columns else []),
        *(["rounded"] if count != "NNodes" else []),
    ]
    possible += ["milliseconds"] if times in ("epoch", "float") else ["minutes"]
    spoiled = rng.choice(possible) if rng.random() < 0.05 else ""
    case = rng.choice(["", "", "lower", "upper"])
    columns = [getattr(name, case)() if case else name for name in columns]
    return Dialect(
        rng,
        delimiter,
        quoted,
        trailing=rng.random() < 0.3,
        times=times,
        zone=rng.choice(list(_ZONES)),
        ends=ends,
        count=count,
        columns=columns,
        broken=broken,
        spoiled=spoiled,
    )


def _jobs(rng: Random, dialect: Dialect) -> list[Truth]:
    """Return random jobs, many of them around a change of clocks."""
    day = rng.choice([_ZONES[dialect.zone], _FALLS[dialect.zone], _QUIET])
    begin = (datetime(*day, 20, tzinfo=UTC) - _EPOCH) // timedelta(seconds=1)
    begin -= (datetime(*day, 20, tzinfo=ZoneInfo(dialect.zone)).utcoffset() or timedelta()) // timedelta(seconds=1)
    jobs, number = [], rng.randint(1, 10**6)
    for _ in range(rng.randint(1, 12)):
        number += rng.randint(1, 9)
        name = rng.choice(["{}", "{}", "{}_3", "{}+1"]).format(number)
        submit = begin + rng.randint(0, 6 * 3600)
        start = submit + rng.randint(0, 3600)
        width = rng.choice([1, 2, 7, 64, 1024, 1536, 16384, 20000])
        jobs.append(Truth(name, submit, start, start + rng.randint(1, 5 * 3600), width))
        if dialect.times in ("epoch", "float", "offset") and rng.random() < 0.1:  # requeued
            again = jobs[-1].end + rng.randint(0, 600)
            jobs.append(Truth(name, again, again + 60, again + rng.randint(61, 7200), width))
    if dialect.times in LOCAL:  # a time that occurs twice is certain only with an elapsed time, and not always
        zone = ZoneInfo(dialect.zone)
        jobs = [job for job in jobs if not any(_twice(one, zone) for one in (job.submit, job.start, job.end))] or [
            Truth("1", begin, begin + 5, begin + 60, 3)
        ]
    if dialect.ends == "both" and rng.random() < 0.3:
        jobs[-1].running = True
    if dialect.spoiled == "rounded":
        jobs[-1].processors = 1284
    if dialect.spoiled == "clusters":
        jobs.append(replace(jobs[0], id=str(number + 1)))
    return jobs


def _twice(moment: int, zone: ZoneInfo) -> bool:
    there = (_EPOCH + timedelta(seconds=moment)).astimezone(zone)
    return there.replace(fold=0).utcoffset() != there.replace(fold=1).utcoffset()


def _rows(rng: Random, dialect: Dialect, jobs: list[Truth]) -> list[str]:
    rows = []
    cluster = rng.choice(["hpc", "alps-1"])
    for job in jobs:
        other = dialect.spoiled == "clusters" and job is jobs[-1]
        dialect.cluster = f"{cluster}2" if other else cluster
        state = "RUNNING" if job.running else rng.choice(_STATES)
        end = dialect.time(job.end)
        if job.running or (dialect.ends == "both" and rng.random() < 0.1):
            end = rng.choice(["Unknown", "None", ""])
        stamps = {"submit": dialect.time(job.submit), "start": dialect.time(job.start), "end": end}
        rows.append(_row(dialect, job, job.id, state, stamps))
        for step in rng.sample(["batch", "extern", "0", "1"], rng.randint(0, 2)):
            rows.append(_row(dialect, job, f"{job.id}.{step}", state, stamps))
    if rng.random() < 0.3:
        waiting = {"submit": dialect.time(jobs[0].submit), "start": rng.choice(["Unknown", "None"]), "end": "Unknown"}
        rows.append(_row(dialect, jobs[0], rng.choice(["1_[2-9%3]", "1"]), "PENDING", waiting))
    return rows


def _row(dialect: Dialect, job: Truth, name: str, state: str, stamps: dict[str, str]) -> str:
    values = {**stamps, "jobid": name, "state": state, **_counts(dialect, job), **_lengths(dialect, job)}
    values |= {"partition": "gpu-a.1", "user": "ada", "exitcode": "0:0", "nodelist": "n1", "qos": "normal"}
    values["cluster"] = dialect.cluster
    texts = [
        _quoted(values[column.lower()] if column.lower() in values else _text(dialect), dialect)
        for column in dialect.columns
    ]
    return dialect.delimiter.join(texts) + (dialect.delimiter if dialect.trailing else "")


def _counts(dialect: Dialect, job: Truth) -> dict[str, str]:
    number = str(job.processors)
    if job.processors >= 1024 and (
        dialect.spoiled == "rounded" or (job.processors % 512 == 0 and dialect.rng.random() < 0.5)
    ):
        kilo = job.processors / 1024
        number = f"{kilo:.0f}K" if kilo == int(kilo) else f"{kilo:.2f}K"
    elif dialect.rng.random() < 0.1:
        number += ".0"
    return {
        **{"alloccpus": number, "ncpus": number, "nnodes": number},
        "alloctres": f"billing=3,cpu={number},mem=4G,node=1",
    }


def _lengths(dialect: Dialect, job: Truth) -> dict[str, str]:
    length = job.end - job.start
    minutes, seconds = divmod(length, 60)
    hours, minutes = divmod(minutes, 60)
    days, rest = divmod(hours, 24)
    text = f"{rest:02d}:{minutes:02d}:{seconds:02d}"
    if days:
        text = f"{days}-{text}"
    elif not hours and dialect.rng.random() < 0.3:
        text = f"{minutes:02d}:{seconds:02d}"
    return {"elapsed": text, "elapsedraw": str(length)}


def _text(dialect: Dialect) -> str:
    """Return a free text; unless quoted, its parts resemble no other value."""
    words = dialect.rng.choices(_WORDS, k=dialect.rng.randint(0, 3))
    joint = " "
    if dialect.broken:
        joint = dialect.rng.choice([" ", dialect.delimiter, "\n", dialect.delimiter, '"'])
    return joint.join(words)


def _quoted(text: str, dialect: Dialect) -> str:
    if not dialect.quoted and not (dialect.delimiter == "," and "=" in text and dialect.rng.random() < 0.5):
        return text
    return '"' + text.replace('"', '""') + '"'
