"""Files as the operating system has them, writing that is all or nothing, and what is written is read again."""

import dataclasses
import errno
import gzip
import io
import json
import os
import socket
import stat
import subprocess
import sys
import tracemalloc
from dataclasses import replace
from fractions import Fraction as F
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.core.errors import InputError
from oas.core.result import Bound, Claim, ModelReport, Proof, ProofKind, Result, Status, Termination
from oas.core.rigid import Organization, Reservation, RigidJob
from oas.core.schedule import Placement, Schedule
from oas.io import dumps, files, load, load_answer, load_result, load_schedule, loads, loads_any, save, schema
from oas.io.decoding import MAX_BYTES
from oas.io.files import MARK
from oas.mosp.instance import MospInstance
from tests.io.test_hostile import INSTANCE as INSTANCE_TEXT
from tests.io.test_hostile import changed

_LONG = 10**80 - 1
_CONTROL = [chr(code) for code in (*range(9), 11, 12, *range(14, 32), *range(127, 160))]

names = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=200).filter(str.isprintable)
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters=_CONTROL))
rationals = st.builds(F, st.integers(-_LONG, _LONG), st.integers(1, _LONG)) | st.decimals(
    allow_nan=False, allow_infinity=False, places=3, min_value=-(10**6), max_value=10**6
).map(F)
positive = rationals.map(abs).filter(bool)
# Sums of a few of these still fit into a file.
_moderate = st.builds(F, st.integers(1, 10**30), st.integers(1, 10**9)) | st.integers(1, 20).map(F)
shares = positive.map(lambda value: value if value <= 1 else 1 / value)


@st.composite
def any_instances(draw):
    groups = st.lists(st.builds(NodeGroup, st.integers(1, 1000), shares), min_size=1, max_size=3)
    clusters = [
        Cluster(name, draw(groups), abs(draw(rationals)))
        for name in draw(st.lists(names, min_size=1, max_size=3, unique=True))
    ]
    nodes = sum(cluster.size for cluster in clusters)
    jobs = [
        Job(name, draw(st.integers(1, nodes)), draw(positive), abs(draw(rationals)), draw(shares | st.just(F(0))))
        for name in draw(st.lists(names, min_size=1, max_size=4, unique=True))
    ]
    provenance = draw(st.dictionaries(texts, texts, max_size=3))
    return CoallocationInstance(
        clusters, jobs, abs(draw(rationals)), name=draw(names | st.just("")), provenance=provenance
    )


_certificates = st.dictionaries(
    texts,
    st.recursive(
        st.none() | st.booleans() | st.integers(-(10**200), 10**200) | texts,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
        max_leaves=8,
    ),
    max_size=3,
)


@st.composite
def any_schedules(draw):
    numbers = st.lists(st.integers(0, 10**9), max_size=40)
    nodes = st.dictionaries(names, numbers, max_size=3)
    placements = draw(st.lists(st.builds(Placement, names, rationals, rationals, nodes), max_size=4))
    return Schedule(placements, draw(texts), draw(st.none() | _certificates))


_bounds = st.builds(Bound, texts, rationals, st.none() | _certificates)
_claims = st.lists(st.builds(Claim, texts, texts, texts, rationals), max_size=2).map(tuple)
_proofs = st.builds(Proof, st.sampled_from(ProofKind), st.none() | _bounds, _claims)

any_results = st.builds(
    Result,
    status=st.sampled_from(Status),
    termination=st.sampled_from(Termination),
    schedule=st.none() | any_schedules(),
    lower_bound=st.none() | rationals,
    proof=st.none() | _proofs,
    instance_digest=st.text("0123456789abcdef", min_size=64, max_size=64),
    solver=texts,
    formulation=texts,
    seconds=st.dictionaries(texts, st.floats(allow_nan=False, allow_infinity=False), max_size=3),
    versions=st.dictionaries(texts, texts, max_size=3),
    seed=st.integers(),
    threads=st.integers(1, 64),
    options=st.dictionaries(texts, texts, max_size=3),
    threads_used=st.dictionaries(texts, st.integers(1, 64), max_size=3),
    message=texts,
    model=st.none()
    | st.builds(
        ModelReport,
        *[texts] * 3,
        reductions=st.lists(texts, max_size=2).map(tuple),
        rows=st.none() | st.integers(),
        lp_bound=st.none() | rationals,
        first_seconds=st.none() | st.floats(allow_nan=False, allow_infinity=False),
        options=st.dictionaries(texts, texts, max_size=3),
    ),
)


@st.composite
def any_mosp(draw):
    """Draw an instance with wild numbers: jobs behind one another at home, at given moments after all reservations."""
    organizations, local = [], {}
    ids = iter(draw(st.lists(names, min_size=1, max_size=6, unique=True)))
    for cluster in draw(st.lists(names, min_size=1, max_size=3, unique=True)):
        size = draw(st.integers(1, 1000))
        held, moment = [], F(0)
        for length in draw(st.lists(_moderate, max_size=2)):
            held.append(Reservation(moment, moment + length, draw(st.integers(1, size))))
            moment += length
        jobs = []
        for name in islice(ids, draw(st.integers(0, 3))):
            job = RigidJob(name, draw(_moderate), draw(st.integers(1, size)), draw(st.just(F(0)) | _moderate))
            jobs.append(job)
            local[name] = max(moment, job.release)
            moment = local[name] + job.time
        organizations.append(Organization(cluster, size, jobs, held))
    if not local:
        name = next(ids)
        organizations[0] = replace(organizations[0], jobs=(RigidJob(name, draw(positive), 1),))
        local[name] = max((one.end for one in organizations[0].reservations), default=F(0))
    locality = draw(st.none() | st.just(F(1)) | positive.map(lambda value: value + 1 if value < 1 else value))
    assume(all(exact_enough(value) for value in (*local.values(), locality or F(1))))
    provenance = draw(st.dictionaries(texts, texts, max_size=3))
    return MospInstance(organizations, locality, local, 0, draw(names | st.just("")), provenance)


def exact_enough(value):
    """Whether a file can hold it."""
    return max(value.numerator, value.denominator) <= _LONG


INSTANCE = CoallocationInstance([Cluster("A", [NodeGroup(2, F(3, 4))], 1)], [Job("a", 1, 7)], name="tiny")
SCHEDULE = Schedule([Placement("a", 0, F(28, 3), {"A": [0]})], "hand")
RESULT = Result(Status.FEASIBLE, Termination.FINISHED, SCHEDULE, None, None, INSTANCE.digest)
NOTHING = Result(Status.NO_SOLUTION, Termination.TIME_LIMIT, None, None, None, INSTANCE.digest)


def refusal(path, reader=load):
    with pytest.raises(InputError) as caught:
        reader(path)
    assert str(caught.value).startswith(caught.value.file)
    return caught.value


@pytest.mark.parametrize(
    ("reader", "content", "field", "value"),
    [
        (load, SCHEDULE, "format", "oas-schedule"),
        (load, RESULT, "format", "oas-result"),
        (load_answer, INSTANCE, "format", "oas-instance"),
        (load_schedule, INSTANCE, "format", "oas-instance"),
        (load_schedule, NOTHING, "schedule", None),
        (load_result, SCHEDULE, "format", "oas-schedule"),
        (load_result, INSTANCE, "format", "oas-instance"),
    ],
)
def test_another_kind_is_refused(tmp_path, reader, content, field, value):
    save(content, tmp_path / "file")
    error = refusal(tmp_path / "file", reader)
    assert (error.field, error.value, error.file) == (field, value, str(tmp_path / "file"))


@pytest.mark.parametrize("written", [MARK.__add__, gzip.compress, lambda data: gzip.compress(MARK + data)])
@pytest.mark.parametrize(
    ("reader", "content"), [(load, INSTANCE), (load_schedule, SCHEDULE), (load_result, RESULT), (load_answer, NOTHING)]
)
def test_gzipped_and_marked_files_are_read(tmp_path, written, reader, content):
    """Whatever the file is called."""
    data = written(dumps(content))
    assert data != dumps(content)
    (tmp_path / "file").write_bytes(data)
    assert reader(tmp_path / "file") == content
    (tmp_path / "file").write_bytes(dumps(content)[:20] + MARK + dumps(content)[20:])
    refusal(tmp_path / "file", reader)


def test_a_bomb_is_unpacked_to_the_limit_only():
    bomb = gzip.compress(bytes(1 << 23))
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="more than 4096 bytes"):
            loads_any(bomb, limit=1 << 12)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_missing_directory_and_nonsense_paths(tmp_path):
    assert "No such file" in refusal(tmp_path / "none").reason
    assert "directory" in refusal(tmp_path).reason
    assert "embedded null" in refusal("a\0b").reason
    assert "too long" in refusal("a" * 5000).reason
    assert "No such file" in refusal("").reason
    assert str(refusal("a\x1b[31m\udc80")).isprintable()


def test_unreadable_file(tmp_path):
    save(INSTANCE, tmp_path / "file")
    (tmp_path / "file").chmod(0)
    own = os.geteuid()
    if own == 0:  # root may read everything
        os.seteuid(65534)
    try:
        error = refusal(tmp_path / "file")
    finally:
        os.seteuid(own)
    assert error.reason == "cannot be read: Permission denied"


def test_a_read_that_fails(tmp_path):
    """The kernel refuses to read a process's own memory at address 0."""
    if not Path("/proc/self/mem").exists():
        pytest.skip("needs /proc")
    assert "cannot be read: Input/output error" in refusal("/proc/self/mem").reason


def test_pipes_devices_and_sockets_are_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert "not a regular file" in refusal(tmp_path / "pipe").reason
    assert "not a regular file" in refusal("/dev/zero").reason
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        assert "cannot be read" in refusal(tmp_path / "socket").reason


def test_size_cap_holds_without_reading_all(tmp_path):
    with open(tmp_path / "file", "wb") as file:
        file.truncate(2**40)  # a sparse file of 1 TiB
    assert refusal(tmp_path / "file").reason == f"larger than {MAX_BYTES} bytes, the most that is read"


def test_standard_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(dumps(INSTANCE))))
    assert load("-") == INSTANCE
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"{")))
    assert refusal("-").file == "<stdin>"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b" " * (MAX_BYTES + 1))))
    assert "larger than" in refusal("-").reason


@pytest.mark.parametrize("failure", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, failure):
    path = tmp_path / "file"
    path.write_text("old")

    def fail(_):
        raise failure

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(InputError if isinstance(failure, OSError) else KeyboardInterrupt) as caught:
        save(INSTANCE, path)
    if isinstance(failure, OSError):
        assert str(caught.value) == f"{path}: cannot be written: No space left on device"
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]


def test_what_cannot_be_put_into_a_file_does_not_touch_it(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    broken = Result(Status.FEASIBLE, Termination.FINISHED, None, F(1, 10**90), None, INSTANCE.digest)
    with pytest.raises(InputError):
        save(broken, path)
    assert path.read_text() == "old"


def test_links_are_followed_pipes_and_devices_written_into(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "target")
    save(INSTANCE, tmp_path / "link")
    assert (tmp_path / "link").is_symlink() and load(tmp_path / "target") == INSTANCE
    save(INSTANCE, "/dev/null")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    save(INSTANCE, tmp_path / "pipe")
    assert os.read(reader, 10**6) == dumps(INSTANCE)
    os.close(reader)


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="files without a name are Linux's")
def test_a_writer_that_is_killed_leaves_no_part_of_a_file(tmp_path):
    (tmp_path / "file").write_text("before")
    body = "import os, sys; from oas.io import files; os.fsync = lambda _: os.kill(os.getpid(), 9)\n"
    body += "files.write_bytes(sys.argv[1], b'after' * 1000)"
    done = subprocess.run([sys.executable, "-c", body, tmp_path / "file"], cwd=Path(__file__).parents[2], check=False)
    assert done.returncode == -9
    assert os.listdir(tmp_path) == ["file"] and (tmp_path / "file").read_text() == "before"


@pytest.mark.parametrize("named", [False, True])
def test_a_file_is_replaced_with_its_rights(tmp_path, monkeypatch, named):
    if named:  # where the file system has no files without a name
        monkeypatch.setattr(files, "_unnamed", lambda _: None)
    umask = os.umask(0o022)
    try:
        files.write_bytes(tmp_path / "file", b"first")
    finally:
        os.umask(umask)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o644
    (tmp_path / "file").chmod(0o640)
    files.write_bytes(tmp_path / "file", b"second")
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["file"] and (tmp_path / "file").read_bytes() == b"second"


def valid(kind, data):
    return Draft202012Validator(schema(kind)).is_valid(json.loads(data))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"tasks": 2', '"tasks": true'),
        ('"tasks": 2', '"tasks": 2.5'),
        ('"tasks": 2', '"tusks": 2'),
        ('"two", ', '"two", "deadline": 3, '),
        ('"base_time": 1.5', '"base_time": null'),
        ('"base_time": 1.5', '"base_time": "nan"'),
        ('"base_time": 1.5', '"base_time": "1/3/5"'),
        ('"version": 1', '"version": 2'),
        ('"coallocation"', '"mosp"'),
        ('"oas-instance"', '"oas-schedule"'),
        ('"by": "hand"', '"by": 3'),
        ('[{"count": 2, "power": 1}, {"count": 2, "power": 0.75}]', "[]"),
    ],
)
def test_other_shapes_are_refused(old, new):
    assert valid("instance", INSTANCE_TEXT)
    assert not valid("instance", changed(old, new))


DIGEST = "0" * 64


def attributes(thing):
    """Every field, also those that equality leaves out."""
    assert dataclasses.is_dataclass(thing)
    return {field.name: getattr(thing, field.name) for field in dataclasses.fields(thing)}


@given(any_instances() | any_mosp())
def test_instances(instance):
    again = loads(dumps(instance))
    assert again == instance and attributes(again) == attributes(instance)
    assert again.digest == instance.digest
    assert dumps(again) == dumps(instance)
    assert [valid(kind, dumps(instance)) for kind in ("instance", "schedule", "result")] == [True, False, False]


@given(any_schedules())
def test_schedules(schedule):
    again = loads_any(dumps(schedule))
    assert again == schedule and attributes(again) == attributes(schedule)
    assert valid("schedule", dumps(schedule)) and not valid("instance", dumps(schedule))


@given(any_results)
def test_results(result):
    again = loads_any(dumps(result))
    assert again == result and attributes(again) == attributes(result)
    assert valid("result", dumps(result)) and not valid("schedule", dumps(result))


def small_instance(**changes):
    clusters = [Cluster("A", [NodeGroup(2, F(3, 4))], F(1, 3))]
    return CoallocationInstance(clusters, [Job("a", 1, "6.7e5", "0.7", "0.7")], **changes)


@pytest.mark.parametrize("start", [0, 7, 95, 9_990, 99_900, 99_999, 100_000, 10**12])
def test_many_node_numbers_are_written_like_a_list(start):
    numbers = [*range(start, start + 120), start + 130, start + 131]
    text = dumps(Schedule([Placement("J", 0, 1, {"A": numbers, "B": [3]})])).decode()
    assert f'        "A": {numbers},\n        "B": [3]\n      }}\n' in text
    assert loads_any(text.encode()).placements[0].nodes == {"A": tuple(numbers), "B": (3,)}


def test_decimals_are_exact():
    text = dumps(small_instance()).decode().replace('"7/10"', "0.70")
    assert "0.70" in text
    read = loads(text.encode())
    assert isinstance(read, CoallocationInstance)
    assert read.jobs[0].sigma == F(7, 10)
    assert loads(text.replace("0.70", "7e-1").encode()) == small_instance()


def test_defaults_may_be_left_out():
    document = json.loads(dumps(small_instance()))
    for name in ("name", "slot", "saturation", "provenance"):
        del document[name]
    del document["jobs"][0]["sigma"], document["jobs"][0]["bandwidth"]
    expected = CoallocationInstance(small_instance().clusters, [Job("a", 1, 670000)])
    assert loads(json.dumps(document).encode()) == expected


@pytest.mark.parametrize(
    ("result", "field"),
    [
        ({"proof": Proof(ProofKind.CERTIFICATE, Bound("b", F(1), {"x": [0, 0.5]}))}, "certificate.x[1]"),
        ({"versions": {"oas": 3}}, "versions.oas"),
        ({"model": ModelReport("f", "s", "1", options={"a": 3})}, "options.a"),
        ({"seconds": {"all": float("inf")}}, ""),
        ({"lower_bound": F(1, 10**81)}, ""),
        ({"proof": Proof(ProofKind.CERTIFICATE, Bound("b", F(1), {"x": "\ud800"}))}, ""),
    ],
)
def test_what_no_file_can_hold_is_refused_when_written(result, field):
    fields = {"schedule": None, "lower_bound": None, "proof": None, "instance_digest": DIGEST}
    with pytest.raises(InputError) as caught:
        dumps(Result(Status.FEASIBLE, Termination.FINISHED, **{**fields, **result}))
    assert caught.value.field == field
