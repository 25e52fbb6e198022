"""Files that other programs write: counts with separators, compression, encodings, decimals, workloads of Batsim."""

import bz2
import gzip
import lzma
from fractions import Fraction as F
from unittest.mock import patch

import pytest

import oas
from benchmarks.robustness.fuzz_dialects import check
from oas.core.errors import InputError
from oas.io.files import opened
from oas.logs.csv_rows import read_reservations
from oas.logs.log import read, read_log
from oas.logs.logged import LIMITS
from oas.logs.streams import read_stream
from oas.logs.swf import read_swf
from tests.logs.test_streams import csv_of, line

JOB = line()


def in_file(folder, content, name="log.swf"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def refusal(function, *arguments, **options):
    with pytest.raises(InputError) as caught:
        function(*arguments, **options)
    return str(caught.value)


def test_the_same_jobs_are_read_from_every_dialect(tmp_path):
    kinds = {check(0, index, tmp_path) for index in range(240)}
    assert kinds == {"swf", "swf, refused", "batsim", "workload", "reservations"}


@pytest.mark.parametrize(
    ("header", "processors"),
    [
        ("; MaxProcs: 1,024", 1024),
        ("; MaxProcs: 1 024", 1024),
        ("; MaxProcs: 12\u2009345\u2009678", 12_345_678),
        (";MaxProcs: 1'024", 1024),
        ("; MaxProcs: 1_024 (2 x 512)", 1024),
        (";   maxprocs : 70  (dual)", 70),
        ("; MAXPROCS: 128 nodes", 128),
        ("; MaxProcs: 100, of which 20 interactive", 100),
        ("; MaxProcs: -1\n; MaxNodes: 9", 9),
        ("; MaxProcs: unknown\n; MaxNodes: 1,009", 1009),
        ("; MaxNodes: 7\n; 9 of them fast", 7),
        ("; nothing: 5", None),
    ],
)
def test_numbers_of_processors_in_headers(tmp_path, header, processors):
    path = in_file(tmp_path, f"{header}\n{JOB}\n")
    assert read(path).processors == read_stream(path).machine == read_log(path).max_processors == processors


@pytest.mark.parametrize(
    "text",
    [
        "1.2k",
        "64K",
        "1.024",
        "1e3",
        "2 x 64",
        "12,34",
        "1,0240",
        "0x40",
        "10 or 20",
        "9" * 12,
        "4 racks",
        "8 nodes of 4",
    ],
)
@pytest.mark.parametrize("key", ["MaxProcs", "MaxNodes"])
def test_other_texts_are_refused_unless_the_number_is_given(tmp_path, key, text):
    path = in_file(tmp_path, f"; Version: 2.2\n; {key}: {text}\n{JOB}\n")
    for function in (read_stream, oas.appraise):
        assert refusal(function, path).startswith(f"{path}: line 2, {key}: must be a number of processors from 1 to")
        assert f"(got '{text}')" in refusal(function, path)
    assert read_stream(path, processors=4).machine == 4
    assert oas.appraise(path, processors=4).rows[0].proven


def test_negative_zeros_and_decimal_unknowns_of_swf(tmp_path):
    fields = JOB.split()
    fields[1], fields[2], fields[5], fields[17] = "-0", "-0.0", "-1.0", "-1.00"
    path = in_file(tmp_path, f"; MaxProcs: 4\n{' '.join(fields)}  ; a remark\n")
    (job,) = read_swf(path).jobs
    assert (job.submit, job.wait, job.cpu_time, job.think_time) == (0, 0, None, None)
    assert read_stream(path).submit.tolist() == [0]
    fields[3] = "-1359980917"
    path.write_text(" ".join(fields))
    reason = "must be a number from 0 on in at most 15 ASCII digits and 9 decimals, or -1 for unknown"
    reason += "; --skip-invalid leaves out such lines"
    assert refusal(read_log, path) == f"{path}: line 1, field 4 (run_time): {reason} (got '-1359980917')"


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("name", ["log.swf", "log.swf.gz", "log.swf.bz2", "log.swf.XZ"])
def test_compression_is_told_by_the_content(tmp_path, pack, name):
    path = in_file(tmp_path, pack(f"{JOB}\n".encode()) + pack(f"{line(2)}\n".encode()), name)
    log = read_log(path)
    assert (log.name, [job.id for job in log.jobs]) == ("log", ["J1", "J2"])


@pytest.mark.parametrize(("pack", "name"), [(bz2.compress, "bzip2"), (lzma.compress, "xz")])
def test_compressed_bombs_and_damaged_files_are_refused(tmp_path, pack, name):
    bomb = pack(b" " * 30_000_000)
    assert len(bomb) < 10_000
    path = in_file(tmp_path, bomb)
    assert "longer than 10000 bytes" in refusal(read_log, path)
    path.write_bytes(pack(f"{JOB}\n".encode() + b";\n" * 1_000_000))
    with patch.dict(LIMITS, text_bytes=5000):
        assert "more than 5000 bytes of text" in refusal(read_log, path)
    whole = pack("".join(f"{line(number)}\n" for number in range(1, 400)).encode())
    for place in range(7, len(whole), 101):
        assert f"not a whole {name} file" in refusal(read_log, in_file(tmp_path, whole[:place]))
    assert f"not a whole {name} file" in refusal(read_log, in_file(tmp_path, whole + b"garbage"))


def test_xz_that_needs_much_memory_is_refused():
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": 1 << 28}]
    data = lzma.compress(b"text", filters=filters)
    with pytest.raises(OSError, match=r"[Mm]emory"):
        opened(data).read()


def test_other_encodings_and_archives_are_named(tmp_path):
    text = f"; MaxProcs: 4\n{JOB}\n"
    for content, reason in (
        (text.encode("utf-16"), "byte-order mark of UTF-16; save it as UTF-8"),
        (text.encode("utf-16-be"), "every other byte is NUL, as in UTF-16"),
        (gzip.compress(text.encode("utf-16-le")), "every other byte is NUL, as in UTF-16"),
        (b"PK\x03\x04rest", "compressed by ZIP; unpack it"),
        (b"\x28\xb5\x2f\xfdrest", "compressed by Zstandard; unpack it"),
        (b"\x1f\x9d\x90rest", "compressed by compress (.Z); unpack it"),
        (gzip.compress(bz2.compress(text.encode())), "compressed twice"),
        (gzip.compress(b"log.swf".ljust(257, b"\0") + b"ustar\0" + b"\0" * 249 + text.encode()), "a tar archive"),
        (text.replace("\n", "\r").encode(), "lines end in CR alone"),
    ):
        assert reason in refusal(read_log, in_file(tmp_path, content))


def test_an_unknown_format_lists_what_each_format_lacks(tmp_path):
    message = refusal(read_log, in_file(tmp_path, "job_id;starting_time;finish_time\n", "log.txt"))
    assert "swf: no suffix .swf, and the first line is neither a comment (;) nor 18 numbers" in message
    assert "sacct: " in message
    assert "batsim: no heading with submission_time, requested_number_of_resources, nor a JSON object" in message
    assert "(got 'job_id;starting_time;finish_time')" in message
    assert "the file is empty" in refusal(read_log, in_file(tmp_path, " \n", "log.txt"))
    assert read_log(in_file(tmp_path, JOB, "log.txt")).format == "swf"


BATSIM = "job_id,submission_time,requested_number_of_resources,starting_time,finish_time,execution_time"


@pytest.mark.parametrize(
    ("start", "end", "length", "ran"),
    [
        ("4.53445e+06", "4.53445e+06", "3.249197", F(3249197, 10**6)),
        ("4.53445e+06", "4.53805e+06", "3600", 3600),
        ("4534450.0", "4538050.0", "3604.5", F(36045, 10)),  # six digits, written in full by another program
        ("0.10", "5.10", "5.004", F(5004, 1000)),
        ("0", "5", "NaN", 5),
    ],
)
def test_rounded_times_of_batsim_give_way_to_the_stated_length(tmp_path, start, end, length, ran):
    log = read_log(in_file(tmp_path, f"{BATSIM}\n1,0,4,{start},{end},{length}\n", "jobs.csv"))
    (job,) = log.jobs
    assert job.end - job.start == ran
    assert sum("times rounded" in remark for remark in log.noted) == (F(end) - F(start) != ran)


def test_a_length_that_rounding_does_not_explain_is_refused(tmp_path):
    path = in_file(tmp_path, f"{BATSIM}\n1,0,4,4.53445e+06,4.53805e+06,3700\n", "jobs.csv")
    assert "line 2, execution_time: must be finish_time" in refusal(read_log, path).replace("starting_time − ", "")


WORKLOAD = """{"nb_res": 8, "jobs": [
  {"id": 2, "subtime": 3.5, "res": 8, "profile": "cpu", "user": "ada"},
  {"id": "w!1", "subtime": 0, "res": 4, "profile": "d", "walltime": 100},
  {"id": 3, "subtime": 1e1, "res": 2, "profile": "d", "walltime": 5},
  {"id": 4, "subtime": 9, "res": 1, "profile": "0"}],
 "profiles": {"d": {"type": "delay", "delay": 20.25}, "0": {"type": "delay", "delay": 0},
  "cpu": {"type": "parallel_homogeneous", "cpu": 1e7, "com": 0}, "mpi": {"type": "smpi", "trace": "t"}}}"""


def test_workloads_of_batsim_are_simulated_and_converted(tmp_path):
    path = in_file(tmp_path, WORKLOAD, "w.json")
    stream = read_stream(path, host_speed="1e6")
    assert stream.ids.tolist() == ["w!1", "2", "3"]
    assert (stream.submit.tolist(), stream.time.tolist()) == ([0, 350, 1000], [2025, 1000, 500])
    assert (stream.machine, stream.second, stream.owners) == (8, 100, (("ada",),))
    assert stream.skipped == {"running time 0": 1}
    assert stream.noted == {"ends at its walltime, before its profile does": 1}
    assert not oas.simulate(path, "EASY", host_speed="1e6").violated
    log = read(path, host_speed="1e6")
    instance = log.to_instance(1, count=3, releases=True)
    assert [(job.id, job.time, job.release) for job in instance.jobs] == [
        ("w!1", F(81, 4), 0),
        ("2", 10, F(7, 2)),
        ("3", 5, 10),
    ]
    assert len(log.to_frame()) == 3
    assert "has no starts to appraise; simulate it" in refusal(lambda: log.ran)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            '"profile": "cpu"',
            '"profile": "mpi"',
            r"profiles\.mpi\.type: profiles of this type are not read; .* \(got 'smpi'\)",
        ),
        ('"profile": "cpu"', '"profile": "x"', r"jobs\[0\]\.profile: names no profile of the workload; .* \(got 'x'\)"),
        ('"com": 0', '"com": 5', r"profiles\.cpu\.com: the length depends on the network"),
        ('"subtime": 0', '"subtime": -1', r"jobs\[1\]\.subtime: must be from 0 on"),
        ('"res": 8', '"res": 1.5', r"jobs\[0\]\.res: must be an integer"),
        ('"id": 2', '"id": "w!1"', r"jobs\[1\]\.id: the id is taken"),
        ('"delay": 20.25', '"time": 1', r"profiles\.d\.delay: is missing"),
        ('"jobs"', '"job"', "jobs: is missing"),
        ('"nb_res": 8', '"nb_res": 7', "wider than the machine of 7 processors"),
    ],
)
def test_bad_workloads_name_the_key(tmp_path, old, new, message):
    path = in_file(tmp_path, WORKLOAD.replace(old, new), "w.json")
    with pytest.raises(InputError, match=message) as caught:
        read_stream(path, host_speed=10**6)
    assert caught.value.file == str(path)


COMPOSED = """{"jobs": [{"id": 1, "subtime": 0, "res": 1, "profile": "c"}, {"id": 2, "subtime": 0, "res": 1,
  "profile": "d"}, {"id": 3, "subtime": 0, "res": 1, "profile": "r"}], "profiles": {
  "d": {"type": "delay", "delay": 2.5}, "b": {"type": "composed", "seq": ["d", "d"]},
  "c": {"type": "composed", "repeat": 3, "seq": ["d", "b"]}, "r": {"type": "composed", "seq": ["d", "r"]}}}"""


def test_composed_profiles_are_the_sum_of_their_parts_and_invalid_jobs_can_be_left_out(tmp_path):
    path = in_file(tmp_path, COMPOSED, "w.json")
    assert "profiles.r: composed of itself, or on more than" in refusal(read_stream, path)
    stream = read_stream(path, skip_invalid=True)
    assert [F(time, stream.second) for time in stream.time.tolist()] == [F(45, 2), F(5, 2)]
    assert stream.skipped == {"invalid job": 1}
    assert stream.remarks[0].startswith("1 invalid job was left out, the first: profiles.r: composed of itself")
    instance = read(path, skip_invalid=True).to_instance(1, count=2, processors=1)
    assert instance.provenance["left_out"] == '{"invalid job": 1}'
    path.write_text(COMPOSED.replace('"delay", "delay"', '"parallel_homogeneous", "com": 0, "cpu"'))
    assert "give it by --host-speed" in refusal(read_stream, path, skip_invalid=True)


def test_json_of_sacct_is_named(tmp_path):
    path = in_file(tmp_path, '{"meta": {}, "jobs": [], "errors": []}', "sacct.json")
    assert "output of sacct --json is not read; print it as in" in refusal(read, path)


def test_a_length_in_operations_needs_the_speed_of_hosts(tmp_path):
    path = in_file(tmp_path, WORKLOAD, "w.json")
    assert "profiles.cpu.cpu: the length depends on the speed of the hosts" in refusal(read_stream, path)


def test_reservations_with_decimals_refine_the_time_unit(tmp_path):
    path = csv_of(tmp_path, '"Start" , "End", "processors"\n 1.25, 2e0,3\n')
    table, second = read_reservations(path, 6, second=10)
    assert (table.tolist(), second) == ([[125, 200, 3]], 100)
    log = in_file(tmp_path, f"; MaxProcs: 6\n{line(1, 0, 5, processors=4)}\n")
    simulation = oas.simulate(log, reservations=path)
    assert simulation.stream.second == 100 and not simulation.violated
    assert simulation.rows[0].makespan == 7  # starts at 2
