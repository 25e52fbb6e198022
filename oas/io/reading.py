"""Reading instances, schedules and results, and the examples that come with the package."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import UnsetType

from oas.core.errors import InputError, unknown_name, within
from oas.core.instances import Instance
from oas.core.registry import problem_named
from oas.core.result import Bound, Claim, ModelReport, Proof, Result
from oas.core.schedule import Placement, Schedule
from oas.io import documents as doc
from oas.io.decoding import MAX_BYTES, decode, decode_model
from oas.io.documents import build_list, plain_certificate
from oas.io.files import GZIP, Source, display_path, naming_file, read_bytes, text, texts

if TYPE_CHECKING:
    from collections.abc import Mapping

Content = Instance | Schedule | Result

MAX_PACKED_BYTES = 16 << 20  # maximum size of a compressed result after decompression
_ANSWERS: dict[type, str] = {Schedule: "oas-schedule", Result: "oas-result"}


def load(path: Source) -> Instance:
    """Read an instance of any problem.

    Parameters
    ----------
    path
        A regular file of at most 64 MiB, plain or gzipped (detected from its content); ``"-"`` is standard input.

    Raises
    ------
    InputError
        Naming file, field and value.
    """
    content = _load(path)
    if isinstance(content, Schedule | Result):
        raise _other_format(content, "an oas-instance file is needed", display_path(path))
    return content


def load_answer(path: Source) -> Schedule | Result:
    """Read a schedule file or a result file, whichever it is; errors as `load`."""
    content = _load(path)
    if not isinstance(content, Schedule | Result):
        raise _other_format(content, "an oas-schedule or oas-result file is needed", display_path(path))
    return content


def load_schedule(path: Source) -> Schedule:
    """Read a schedule from its own file or out of a result file; errors as `load`."""
    answer = load_answer(path)
    if isinstance(answer, Schedule):
        return answer
    if answer.schedule is None:
        raise InputError("the result holds no schedule", field="schedule", file=display_path(path))
    return answer.schedule


def load_result(path: Source) -> Result:
    """Read the result of a solve; errors as `load`."""
    content = _load(path)
    if not isinstance(content, Result):
        raise _other_format(content, "an oas-result file is needed", display_path(path))
    return content


def load_model(path: Source) -> doc.ModelDocument:
    """Read the description of a model; errors as `load`."""
    with naming_file(path):
        document = decode_model(read_bytes(path, MAX_BYTES))
        _digest(document.instance_digest)
        return document


def loads(data: bytes, file: str = "<string>") -> Instance:
    """Read an instance from bytes; `file` is the name in errors. Errors as for `load`."""
    content = loads_any(data, file)
    if isinstance(content, Schedule | Result):
        raise _other_format(content, "an oas-instance is needed", file)
    return content


def loads_any(data: bytes, file: str = "<string>", limit: int = MAX_BYTES) -> Content:
    """Read an instance, a schedule or a result from bytes, whichever they hold; at most `limit` bytes when unpacked.

    Errors as `load`.
    """
    with naming_file(file):
        return _content_of(decode(data, limit))


def unpack_result(data: bytes, file: str = "<string>") -> Result:
    """Read a compressed result; `file` is the name in errors.

    Raises `InputError` if it is not gzipped, damaged, larger than 16 MiB unpacked, or no result.
    """
    if not data.startswith(GZIP):
        raise InputError("not a gzip file", file=file)
    content = loads_any(data, file, MAX_PACKED_BYTES)
    if not isinstance(content, Result):
        raise InputError("an oas-result is needed", field="format", file=file)
    return content


def _load(path: Source) -> Content:
    if not isinstance(path, str | os.PathLike):
        raise InputError("the path of a file is needed", field="path", value=path)
    with naming_file(path):
        return _content_of(decode(read_bytes(path, MAX_BYTES)))


def _other_format(content: Content, reason: str, file: str) -> InputError:
    return InputError(reason, field="format", value=_ANSWERS.get(type(content), "oas-instance"), file=file)


def _content_of(document: doc.Document) -> Content:
    """Return the content of a document; raises `InputError` naming the field if a value is invalid."""
    if isinstance(document, doc.ScheduleDocument):
        _digest(document.instance_digest)
        return _schedule(document)
    if isinstance(document, doc.ResultDocument):
        return _result(document)
    instance: Instance = problem_named(document.problem).part("document").read(document)
    return instance


def _schedule(document: doc.ScheduleDocument | doc.ScheduleBody) -> Schedule:
    runs = build_list("placements", (Placement(one.job, one.start, one.end, one.nodes) for one in document.placements))
    return Schedule(runs, text(document.method, "method"), plain_certificate(document.certificate))


def _result(document: doc.ResultDocument) -> Result:
    schedule = None
    if document.schedule is not None:
        with within("schedule"):
            schedule = _schedule(document.schedule)
    result = Result(
        status=document.status,
        termination=document.termination,
        schedule=schedule,
        lower_bound=document.lower_bound,
        proof=None if document.proof is None else _proof(document.proof),
        instance_digest=_digest(document.instance_digest),
        solver=text(document.solver, "solver"),
        formulation=text(document.formulation, "formulation"),
        seconds=document.seconds,
        versions=texts(document.versions, "versions"),
        options=texts(document.options, "options"),
        threads_used=document.threads_used,
        seed=document.seed,
        threads=document.threads,
        message=text(document.message, "message"),
        model=None if isinstance(document.model, UnsetType) else _model(document.model),
    )
    gap = None if result.gap is None else float(result.gap)
    for field, derived in (("objective", result.objective), ("gap", gap)):
        value = getattr(document, field)
        if value != derived:
            raise InputError(f"must be {derived}, as the rest of the file has it", field=field, value=str(value))
    return result


def _model(model: ModelReport) -> ModelReport:
    with within("model"):
        for name in ("formulation", "solver", "version"):
            text(getattr(model, name), name)
        texts(dict(model.options), "options")
        for one in model.reductions:
            text(one, "reductions")
    return model


def _proof(document: doc.ProofDocument) -> Proof:
    bound = None
    if document.bound is not None:
        with within("proof.bound"):
            certificate = plain_certificate(document.bound.certificate)
            bound = Bound(text(document.bound.name, "name"), document.bound.value, certificate)
    return Proof(document.kind, bound, tuple(build_list("proof.claims", map(_claim, document.claims))))


def _claim(document: doc.ClaimDocument) -> Claim:
    solver, version = text(document.solver, "solver"), text(document.version, "version")
    return Claim(solver, version, text(document.formulation, "formulation"), document.bound, text(document.run, "run"))


def _digest(digest: str | None) -> str:
    if digest is not None and not re.fullmatch("[0-9a-f]{64}", digest):
        raise InputError("must be 64 hexadecimal digits", field="instance_digest", value=digest)
    return digest or ""


_PACKAGED = Path(__file__).parents[1] / "examples"
FOLDER = _PACKAGED if _PACKAGED.exists() else Path(__file__).parents[2] / "examples"
"""Folder of the examples: in the package for a wheel, at the top level for a checkout."""

EXAMPLES: Mapping[str, str] = {
    "grid.json": "co-allocation: 8 jobs on 3 clusters whose links are tight (oas compare)",
    "saturated.json": "co-allocation: 4 jobs over links that slow down when saturated (oas price --saturation)",
    "organizations.json": "3 organizations that share their clusters, 12 jobs (oas compare, oas price)",
    "fair.json": "2 organizations that pool 3 processors, 10 jobs: figure 1 of the paper (oas fair)",
    "pool.json": "4 departments that pool 12 processors for a week, 308 jobs (oas fair)",
    "batsim-jobs.csv": "a log of Batsim's, 24 jobs (oas appraise --processors 16)",
    "sacct.txt": "a log of Slurm's, by sacct (oas appraise --processors 16)",
    "campaign.toml": "a campaign: every heuristic against the proven optimum (oas bench run)",
}
"""A description of each example, by file name."""


def load_example(name: str = "grid") -> Instance:
    """Read an instance that comes with the package.

    Parameters
    ----------
    name
        ``grid``, ``saturated``, ``organizations``, ``fair`` or ``pool``, with or without ``.json``.

    Raises
    ------
    InputError
        If there is no example of that name, or it is no instance but a log or a campaign.
    """
    file = example_name(name)
    if not file.endswith(".json"):
        reason = f"is no instance: {EXAMPLES[file]}; oas example {file} writes it, oas.example_path has its path"
        raise InputError(reason, field="example", value=name)
    return load(example_path(file))


def example_bytes(name: str) -> bytes:
    """Return the content of the example of that name; names and errors as for `example_name`."""
    return read_bytes(example_path(name), 1 << 20)


def example_path(name: str) -> Path:
    """Return the path of an example, such as a job log.

    Parameters
    ----------
    name
        Name of the file, with or without its suffix.

    Raises
    ------
    InputError
        If there is no example of that name.
    """
    return FOLDER / example_name(name)


def example_name(name: str) -> str:
    """Return the file name of an example, which is given with or without its suffix.

    Raises `InputError` if there is none.
    """
    for file in EXAMPLES:
        if name in (file, file.partition(".")[0]):
            return file
    raise unknown_name(name, [file.partition(".")[0] for file in EXAMPLES], "example")
