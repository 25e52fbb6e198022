"""Logs of sacct as clusters write them: clocks, ends, delimiters, texts, shared nodes, invalid lines."""

import gzip
import os
import subprocess
import sys
from datetime import UTC, datetime
from fractions import Fraction as F
from pathlib import Path

import pytest

import oas
from benchmarks.robustness.fuzz_logs import examine, main
from oas.core.errors import InputError
from oas.logs.clocks import Stamp, chosen_clock, clock_of, iso_stamp, zone_named
from oas.logs.log import moment_in, read_log
from oas.logs.sacct import NO_END, UNSURE, hosts
from oas.logs.streams import read_stream

FILES = Path(__file__).parent / "files"
DAY = 1772323200  # 2026-03-01
RAN = "2026-03-01T00:00:00", "2026-03-01T00:00:10", "2026-03-01T00:10:10"


def read(tmp_path, *lines, **options):
    path = tmp_path / "log.txt"
    path.write_bytes("\n".join(lines).encode(errors="surrogateescape"))
    return read_log(path, None, **options)


def refused(tmp_path, *lines, **options):
    with pytest.raises(InputError) as caught:
        read(tmp_path, *lines, **options)
    return str(caught.value)


def case(name, **options):
    return read_log(FILES / name, None, **options)


def times(log):
    """The times of jobs, relative to the first submission."""
    first = log.jobs[0].submit
    return [(job.submit - first, job.start - first, job.end - first) for job in log.jobs]


def with_elapsed(name, *lengths):
    lines = (FILES / name).read_text().splitlines()
    return [f"{line}|{length}" for line, length in zip(lines, ("Elapsed", *lengths), strict=True)]


SPRING = [(0, 4800, 6000), (0, 6000, 6600)]


def test_an_hour_that_was_left_out_is_no_running_time(tmp_path):
    assert times(case("sa_dst_spring_offset.txt")) == SPRING
    assert times(case("sa_dst_spring.txt", timezone="Europe/Berlin")) == SPRING
    inferred = read(tmp_path, *with_elapsed("sa_dst_spring.txt", "00:20:00", "00:10:00"))
    assert times(inferred) == SPRING
    assert inferred.remarks == ("clocks changed on 2026-03-29 as in Europe/Berlin, by the elapsed times",)


def test_local_times_across_a_change_of_clocks_are_called_uncertain():
    log = case("sa_dst_spring.txt")
    assert log.noted == {UNSURE: 2}
    (remark,) = log.remarks
    assert "Europe/Berlin on 2026-03-29" in remark and "--timezone" in remark and "SLURM_TIME_FORMAT=%s" in remark
    window = oas.logs.read(FILES / "sa_dst_spring.txt").windows(processors=4)[0]
    assert window.instance.provenance["remarks"] == remark
    assert read_stream(FILES / "sa_dst_spring.txt").noted == {UNSURE: 2}


def test_times_that_occur_twice_are_chosen_by_the_elapsed_time(tmp_path):
    fall = [(0, 8400, 9600)]
    assert times(case("sa_dst_fall.txt", timezone="Europe/Berlin")) == fall
    log = read(tmp_path, *with_elapsed("sa_dst_fall.txt", "00:20:00"))
    assert times(log) == fall and UNSURE not in log.noted
    with pytest.raises(
        InputError, match=r"starts?ed, at 2026-10-25T02:50:00, .*turned back: give --timezone"
    ) as caught:
        case("sa_dst_fall.txt")
    assert caught.value.value == "2026-10-25T02:10:00"
    lines = ["JobID|Submit|Start|End|NNodes", "1|2026-10-25T02:05:00|2026-10-25T02:10:00|2026-10-25T02:20:00|1"]
    unclear = read(tmp_path, *lines, timezone="Europe/Berlin")
    assert unclear.noted == {"time that the clocks showed twice; the earlier one counts": 1}
    assert times(unclear) == [(0, 300, 900)]
    lines = [
        "JobID|Submit|Start|End|NNodes|Elapsed",
        "1|2026-10-25T01:05:00|2026-10-25T02:10:00|2026-10-25T02:20:00|1|01:10:00",
    ]
    assert times(read(tmp_path, *lines, timezone="Europe/Berlin")) == [(0, 3900, 8100)]


def test_elapsed_times_exclude_changes_that_did_not_happen(tmp_path):
    heading = "JobID|Submit|Start|End|Elapsed|NNodes"
    across = "1|2026-03-29T00:00:00|2026-03-29T00:00:00|2026-03-29T06:00:00|06:00:00|1"
    assert not read(tmp_path, heading, across).remarks  # no usual zone changed its clocks in these hours
    idle = "1|2026-03-28T00:00:00|2026-03-28T00:00:00|2026-03-28T06:00:00|06:00:00|1"
    later = "2|2026-03-30T00:00:00|2026-03-30T00:00:00|2026-03-30T06:00:00|06:00:00|1"
    assert UNSURE in read(tmp_path, heading, idle, later).noted
    assert not read(tmp_path, heading, idle, later, timezone="UTC").noted


@pytest.mark.parametrize(
    ("zone", "text", "moments"),
    [
        ("Europe/Berlin", "2026-03-29T02:30:00", []),
        ("Europe/Berlin", "2026-10-25T02:30:00", ["2026-10-25T00:30:00", "2026-10-25T01:30:00"]),
        ("America/New_York", "2026-11-01T01:30:00", ["2026-11-01T05:30:00", "2026-11-01T06:30:00"]),
        ("Australia/Lord_Howe", "2026-10-04T02:15:00", []),
        ("Asia/Kolkata", "2026-03-29T02:30:00", ["2026-03-28T21:00:00"]),
    ],
)
def test_clocks_of_zones(zone, text, moments):
    clock = clock_of(zone_named(zone), [2026])
    found = clock.moments(iso_stamp(text))
    assert [datetime.fromtimestamp(one, UTC).replace(tzinfo=None).isoformat() for one in found] == moments
    assert all(clock.show(one) == text for one in found)
    assert clock.moments(Stamp(5)) == (5,)


def test_time_zones_are_names(tmp_path):
    with pytest.raises(InputError, match=r"did you mean Europe/Berlin .*\(got 'Europe/Brlin'\)"):
        case("sa_dst_spring.txt", timezone="Europe/Brlin")
    for name in ("Europe", "../etc/passwd", "", "\0"):
        with pytest.raises(InputError, match="timezone"):
            case("sa_dst_spring.txt", timezone=name)
    with pytest.raises(InputError, match="timezone: only logs of sacct"):
        case("sw_negzero.swf", timezone="Europe/Berlin")
    lines = ["JobID|Submit|Start|End|NNodes", "1|2026-03-29T01:00:00|2026-03-29T02:30:00|2026-03-29T03:30:00|1"]
    assert "start: does not exist in Europe/Berlin" in refused(tmp_path, *lines, timezone="Europe/Berlin")
    log = case("sa_dst_spring.txt", timezone="Europe/Berlin")
    assert moment_in(log, "2026-03-29T03:10:00") == moment_in(log, "2026-03-29T01:10:00Z") == log.jobs[1].start
    with pytest.raises(InputError, match="does not exist in Europe/Berlin"):
        moment_in(log, "2026-03-29T02:10:00")


def test_a_system_without_time_zones(tmp_path):
    script = (
        "import sys; sys.modules['tzdata'] = None; from oas.logs.log import read_log\n"
        f"print(read_log({str(FILES / 'sa_runaway.txt')!r}).remarks)\n"
        f"try: read_log({str(FILES / 'sa_runaway.txt')!r}, timezone='Europe/Berlin')\n"
        "except ValueError as error: print(error)"
    )
    environment = {**os.environ, "PYTHONTZPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment)
    assert "has no time zones to find changes of clocks" in done.stdout
    assert "this system has no time zones; install them with pip install tzdata" in done.stdout


def test_times_that_are_no_seconds_are_refused(tmp_path):
    heading = "JobID|JobName|Submit|Start|End|NNodes"
    row = "1|x|1767225600000|1767225605000|1767225900000|1"
    assert "line 2, submit: after the year 2199: must be seconds" in refused(tmp_path, heading, row)
    for text in ("2026-03-01T00:00", "03/01-00:00:00", "Today 10:00"):  # other settings of SLURM_TIME_FORMAT
        rows = [f"{job}|x|{text}|{text}|{text}|1" for job in (1, 2)]
        message = refused(tmp_path, heading, *rows)
        assert "line 2, submit: must be seconds since 1970 (SLURM_TIME_FORMAT=%s)" in message and text in message


def test_clocks_are_no_cause_of_times_that_differ_by_days(tmp_path):
    heading = "JobID|Submit|Start|End|NNodes"
    message = refused(tmp_path, heading, "1|2026-03-01T00:00:10|1970-01-01T01:00:00|2026-03-01T00:10:10|1")
    assert "starts before it was submitted" in message and "--timezone" not in message


def test_a_log_is_of_one_cluster(tmp_path):
    rows = ["Cluster|JobID|Submit|Start|End|NNodes", "a|1|5|6|16|1", "b|2|5|6|16|1"]
    assert [job.id for job in read(tmp_path, *rows[:2]).jobs] == ["1"]
    message = refused(tmp_path, *rows)
    assert "line 3, cluster: another cluster than a in the lines before" in message and "sacct -M" in message
    log = read(tmp_path, *rows, skip_invalid=True)
    assert [job.id for job in log.jobs] == ["1"] and log.skipped == {"invalid line": 1}


def test_comments_are_no_rows(tmp_path):
    lines = ["# printed on Monday", "# JobID|Submit|Start|End|NNodes|Comment", "1|5|6|16|1|a", "# b|c", "2|5|6|16|2|"]
    assert [(job.id, job.processors) for job in read(tmp_path, *lines).jobs] == [("1", 1), ("2", 2)]
    lines = ["JobName|JobID|Submit|Start|End|NNodes", "# a|b|1|5|6|16|1", "#|2|5|6|16|2"]
    assert [job.id for job in read(tmp_path, *lines).jobs] == ["1", "2"]


def test_a_delimiter_at_the_end_of_a_row_may_belong_to_a_text(tmp_path):
    heading = "JobID|Submit|Start|End|JobName|NNodes|Cluster|Comment"
    assert read(tmp_path, heading, "1|5|6|16|a b|2|hpc|", "2|5|6|16|a|/b|3|hpc|").jobs[1].processors == 3
    assert read(tmp_path, heading, "1|5|6|16|a|2|hpc|c|", "2|5|6|16|a|3|hpc||").jobs[1].processors == 3
    heading = "JobID|Submit|Start|End|JobName|NNodes|User"
    assert read(tmp_path, heading, "1|5|6|16|a|2|ada|").jobs[0].processors == 2
    assert "ambiguous in column nnodes because jobname" in refused(tmp_path, heading, "1|5|6|16|a|2|3|")


def test_an_ambiguous_row_takes_no_part_of_the_next(tmp_path):
    heading = "JobID|SubmitLine|User|WorkDir|Submit|QOS|Start|End|NNodes"
    rows = ["1|a|b|ada|c|1772323205|normal|1772323205|1772323206|1", "2|x|ada|y|1772323205|z|1772323205|1772323206|1"]
    assert "line 2: must have 9 values" in refused(tmp_path, heading, *rows)
    heading = "JobID|SubmitLine|User|WorkDir|Submit|QOS"
    rows = ["74763|a|b|c|ada|d|1781949831|normal", "74769|7|z"]  # together, one row with submission 7
    assert "line 1: has no column start" in refused(tmp_path, heading, *rows)
    heading = "JobID|NNodes|JobName|End|State|Start|ElapsedRaw|SubmitLine|User|WorkDir|Submit|QOS"
    rows = [
        "74763_3|16|run|#!|1781964794|COMPLETED|1781952210|12584|'q'|x|'q'|ada|%j|1781949831|normal",
        "74769_3|7|name",
    ]
    assert "line 2: must have 12 values, as the heading has columns, not 15; ambiguous" in refused(
        tmp_path, heading, *rows
    )


def test_a_log_without_times_has_no_rivals():
    assert chosen_clock([]).rivals == ()


def test_messages_show_times_as_the_file_does(tmp_path):
    heading = "JobID|Submit|Start|End|NNodes"
    row = "1|2026-03-01T00:00:10|2026-03-01T00:00:00|2026-03-01T00:10:10|1"
    assert "submitted, at 2026-03-01T00:00:10" in refused(tmp_path, heading, row)
    offset = refused(tmp_path, heading, row.replace("0|", "0+01:00|"))
    assert "at 2026-03-01T00:00:10+0100" in offset
    assert "at 9" in refused(tmp_path, heading, "1|9|7|17|1")
    window = oas.logs.read(FILES / "sa_shared_node.txt", unit="nodes").windows(processors=1)[0]
    assert "of 1 processor at 2026-03-01T00:00:10" in window.violations[0].message


def test_an_unknown_end_follows_from_the_elapsed_time(tmp_path):
    log = case("sa_runaway.txt")
    assert [(job.end - job.start, job.known_until) for job in log.jobs] == [(600, None), (600, None)]
    assert log.noted == {NO_END: 1}
    heading = "JobID|Submit|Start|End|ElapsedRaw|State|NNodes"
    rows = [
        "1|0|5|Unknown||COMPLETED|1",
        "2|0|5|Unknown|20|RUNNING|1",
        "3|0|5|15|10|RUNNING|1",
        "4|0|5|||RUNNING|1",
        "5|0|5|||PENDING|1",
        "6|0|5|Unknown|7|CANCELLED by 12|1",
    ]
    log = read(tmp_path, heading, *rows)
    assert [(job.id, job.end, job.known_until) for job in log.jobs] == [
        ("2", None, 25),
        ("3", 15, None),
        ("4", None, None),
        ("6", 12, None),
    ]
    assert log.skipped == {"end and elapsed time unknown": 1, "never started (pending)": 1}


def test_a_running_job_holds_processors_only_as_long_as_is_known(tmp_path):
    heading = "JobID|Submit|Start|End|ElapsedRaw|State|AllocCPUS"
    rows = ["1|0|0|Unknown|10|RUNNING|4", "2|20|20|30|10|COMPLETED|4", "3|100|100|110|10|COMPLETED|4"]
    windows = oas.logs.log.Log(read(tmp_path, heading, *rows)).windows(processors=4)
    assert not any(window.violations for window in windows)
    rows[0] = "1|0|0|Unknown|25|RUNNING|4"
    (window,) = oas.appraise(read(tmp_path, heading, *rows), processors=4, time_limit=5).rows
    assert window.window.violations and "sacctmgr show runaway" in window.window.advice
    assert "--processors" not in window.window.advice


@pytest.mark.parametrize("delimiter", ["|", ",", "\t", ";", "~", "^", "||", "@@", " "])
@pytest.mark.parametrize("ends", ["", "trailing", "rows only"])
def test_delimiters(tmp_path, delimiter, ends):
    lines = ["JobID|Submit|Start|End|NNodes|State", f"1|{'|'.join(RAN)}|3|CANCELLED by 1000"]
    lines = [line + ("|" if ends == "trailing" or (ends and k) else "") for k, line in enumerate(lines)]
    if delimiter == " " and ends == "trailing":
        return
    log = read(tmp_path, *(line.replace("|", delimiter) for line in lines))
    assert [(job.id, job.start, job.end, job.processors) for job in log.jobs] == [("1", DAY + 10, DAY + 610, 3)]


def test_the_files_of_the_reports():
    assert [job.id for job in case("sa_bar_in_name.txt").jobs] == ["1", "2"]
    assert [job.id for job in case("sa_comma.txt").jobs] == ["235929"]
    assert [(job.id, job.end - job.start) for job in case("sa_requeue.txt").jobs] == [
        ("235929", 600),
        ("235929#2", 600),
    ]
    assert case("sa_units.txt").jobs[0].processors == 16384


HEADING = "JobID|Submit|Start|End|NNodes|State|JobName|WorkDir"
ROW = f"1|{'|'.join(RAN)}|1|COMPLETED"


@pytest.mark.parametrize(
    "text",
    [
        "a|b|/home",
        "a|/h|o|m|e",
        "a\nb|/home",
        "a|/ho\nme",
        "a|/home\n",
        'a"b|/home',
        '"a|/home',
        "\n\n\na|/home",
        "a\n2|/h",
    ],
)
def test_texts_with_bars_and_line_breaks(tmp_path, text):
    other = ROW.replace("1", "7", 1) + "|c|/tmp"
    log = read(tmp_path, HEADING, f"{ROW}|{text}", other, other)
    assert [job.id for job in log.jobs] == ["1", "7"] and log.skipped == {"repeated line": 1}


def test_ambiguous_texts_name_cause_and_remedy(tmp_path):
    heading = "JobID|Submit|Start|End|NNodes|JobName|State|Comment"
    message = refused(tmp_path, heading, f"1|{'|'.join(RAN)}|1|a|COMPLETED|FAILED|b")
    assert "line 2: must have 8 values" in message and "ambiguous in column state" in message
    assert "without these columns, as in" in message and "-o JobID,Submit" in message
    assert "must have 5 values, as the heading has columns, not 6" in refused(
        tmp_path, "JobID|Submit|Start|End|NNodes", f"1|{'|'.join(RAN)}|1|9"
    )


def test_a_text_with_a_line_break_does_not_hide_another_row(tmp_path):
    heading = "State,JobName,Submit,Start,End,AllocTRES,JobID"
    rows = ["FAILED,a", 'b,5,6,16,"cpu=7,node=1",1', 'FAILED,c,d,1772323205,1772323206,1772323216,"cpu=3",2']
    log = read(tmp_path, heading, *rows, unit="cpus")
    assert [(job.id, job.processors) for job in log.jobs] == [("1", 7), ("2", 3)]
    rows = [f"{ROW}|name|/home", f"x|{'|'.join(RAN)}|1|COMPLETED|name|/home"]
    assert "line 3" in refused(tmp_path, HEADING, *rows)  # it is not part of the folder in the row before


def test_quoted_values(tmp_path):
    rows = [
        '"JobID","Submit","Start","End","NNodes","JobName"',
        '"1","5","6","16","2","a ""b"", c\nd"',
        '2,5,6,16,2,"x,y"',
    ]
    assert [job.id for job in read(tmp_path, *rows).jobs] == ["1", "2"]


def test_names_in_another_encoding_are_not_read(tmp_path):
    log = read(tmp_path, "\ufeff" + HEADING, f"{ROW}|gr\udcfc\udcdf|/home\r", "")
    assert [job.id for job in log.jobs] == ["1"]


def test_repeated_headings_rows_and_executions(tmp_path):
    heading = "JobID|Submit|Start|End|ElapsedRaw|State|NNodes"
    rows = [
        "1|0|5|Unknown|10|RUNNING|1",
        heading,
        "1|0|5|25|20|COMPLETED|1",
        "1|0|5|25|20|COMPLETED|1",
        "1|30|35|45|10|COMPLETED|1",
        "---|---|---|---|---|---|---",
        "JobID|State|Submit|Start|End|NNodes",  # another command
        "2|FAILED|0|5|9|3",
    ]
    log = read(tmp_path, heading, *rows)
    assert [(job.id, job.end, job.processors) for job in log.jobs] == [("1", 25, 1), ("2", 9, 3), ("1#2", 45, 1)]
    assert log.skipped == {"repeated line": 2}


@pytest.mark.parametrize(
    ("value", "processors"), [("16K", 16384), ("1.50K", 1536), ("2M", 2 << 20), ("4.0", 4), ("64", 64)]
)
def test_numbers_of_processors(tmp_path, value, processors):
    assert read(tmp_path, "JobID|Submit|Start|End|NCPUS", f"1|5|6|16|{value}").jobs[0].processors == processors


@pytest.mark.parametrize(
    "value", ["1.23K", "1.25K", "1.2M", "4.5", "-4", "4x", "K", "1e3", "99999P", "999999999999999T"]
)
def test_numbers_that_are_rounded_or_none(tmp_path, value):
    assert "line 2, ncpus: must be" in refused(tmp_path, "JobID|Submit|Start|End|NCPUS", f"1|5|6|16|{value}")


def test_processors_in_tables_of_resources(tmp_path):
    heading = "JobID|Submit|Start|End|AllocTRES|ReqTRES"
    rows = ["1|5|6|16|billing=8,cpu=4,mem=16G,node=2|cpu=9", "2|5|6|16||cpu=3,node=1"]
    log = read(tmp_path, heading, *rows, unit="cpus")
    assert [job.processors for job in log.jobs] == [4, 3]
    assert log.noted == {"processors requested, for want of those allocated": 1}
    assert [job.processors for job in read(tmp_path, heading, *rows, unit="nodes").jobs] == [2, 1]
    assert "--unit cpus" in refused(tmp_path, heading, *rows)
    rows = [heading.replace("|", ","), '1,5,6,16,"billing=8,cpu=4",cpu=9', "2,5,6,16,cpu=7,cpu=9"]
    assert [job.processors for job in read(tmp_path, *rows, unit="cpus").jobs] == [4, 7]


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["JobID         Submit               Start", "------- ------- ------"], "fixed width"),
        (["JobID Submit Start End NNodes", "----- ------ ----- --- ------"], "fixed width"),
        (["------------ ---------- ----------", "1   x"], "fixed width, without its heading"),
        (["1|2026-03-01T00:00:00|2026-03-01T00:00:10|2026-03-01T00:10:10|1"], "without the heading"),
        (["7  2026-03-01T00:00:00 2026-03-01T00:00:10  COMPLETED"], "without the heading"),
        (["JobID|Submit|Start|End|NNodes\r1|5|6|16|1\r"], "line 1: lines end in CR alone"),
        (
            ["JobID|Submit|Start|End|NNodes", "JobID|Submit|Start|End", "1|5|6|16"],
            "line 2: has no column allocnodes nor nnodes",
        ),
        (['"7_1","2026-03-01T00:00:00","2026-03-01T00:00:10"'], "without the heading"),
        (["JobID|Start|End|NNodes"], "has no column submit: print it as in SLURM_TIME_FORMAT=%s sacct"),
        (["JobID|Submit|Start|NNodes"], "has no column end nor elapsed nor elapsedraw"),
        (["JobID|Submit|Start|End"], "has no column alloccpus nor ncpus: add AllocCPUS"),
    ],
)
def test_files_that_cannot_be_read_are_named(tmp_path, lines, words):
    message = refused(tmp_path, *lines)
    assert words in message and "skip-invalid" not in message


def test_times_in_many_forms(tmp_path):
    heading = "JobIDRaw|Submit|Start|End|Elapsed|NNodes"
    rows = [
        "1|1772323200.0|1772323200.5|1772323201.25|00:00.75|1",
        "2|2026-03-01T00:00:01Z|2026-03-01 01:00:02+01|2026-03-01T00:00:02.500+00:00|N/A|1",
        "3|2026-03-01T00:00:02Z|2026-03-01T00:00:03Z|2026-03-02T01:02:06Z|1-01:02:03|1",
    ]
    log = read(tmp_path, heading, *rows)
    assert [(job.start - DAY, job.end - DAY) for job in log.jobs] == [
        (F(1, 2), F(5, 4)),
        (2, F(5, 2)),
        (3, 90126),
    ]
    assert "must be seconds since 1970" in refused(tmp_path, heading, "1|0001-01-01T00:00:00|5|6|00:01|1")


def test_a_duration_that_contradicts_the_elapsed_time(tmp_path):
    heading = "JobID|Submit|Start|End|Elapsed|Suspended|NNodes"
    log = read(tmp_path, heading, "1|5|6|16|00:08||1", "2|5|6|16|00:08|00:02|1", "3|5|6|16|00:10|00:00|1")
    assert [job.end for job in log.jobs] == [16, 16, 16]
    assert log.remarks == (
        "1 job has another elapsed time than from start to end, as after a suspension; start and end count",
    )
    assert log.noted["suspended meanwhile; holds its processors from start to end"] == 1


def test_shared_nodes(tmp_path):
    log = case("sa_shared_node.txt", unit="nodes")
    (row,) = oas.appraise(log, processors=1, time_limit=5).rows
    assert "--unit cpus" in row.window.advice and "--processors" not in row.window.advice
    assert "--unit cpus" in read_stream(FILES / "sa_shared_node.txt", unit="nodes", processors=1).remarks[0]
    heading = "JobID|Submit|Start|End|NNodes|NodeList"
    shared = read(tmp_path, heading, "1|5|6|16|2|n[08-09]", "2|5|15|25|1|n09")
    assert "jobs 1 and 2 held node n09 at the same time" in shared.remarks[0]
    alone = read(tmp_path, heading, "1|5|6|16|2|n[08-09]", "2|5|16|25|1|n09", "3|5|6|16|1|m1")
    assert not alone.remarks and alone.shares_nodes is False
    (row,) = oas.appraise(alone, processors=1, time_limit=5).rows
    assert "--processors" in row.window.advice


@pytest.mark.parametrize(("cpus", "shares"), [((64, 128), False), ((1, 2), True), ((64, 3), True)])
def test_whole_nodes_have_a_constant_number_of_cpus(tmp_path, cpus, shares):
    rows = [f"1|5|6|16|1|{cpus[0]}", f"2|5|6|16|2|{cpus[1]}"]
    assert read(tmp_path, "JobID|Submit|Start|End|NNodes|NCPUS", *rows, unit="nodes").shares_nodes is shares


def test_lists_of_nodes():
    assert hosts("n[1-3,07],login,c[1-2]-ib") == ("n1", "n2", "n3", "n07", "login", "c1-ib", "c2-ib")
    assert hosts("r[1-2]n[08-09],s1") == ("r1n08", "r1n09", "r2n08", "r2n09", "s1")
    assert hosts("r[1-400]n[1-400]") == hosts("n[1-2") == hosts("n[" + "9" * 5000 + "]") == hosts("n[3-1]") == ()
    assert hosts("None assigned") == hosts("n[1-999999999]") == hosts("n[x]") == ()


BAD = {
    "log.txt": (
        "JobID|Submit|Start|End|NNodes",
        ["1|5|6|16|1", "2|5|6|x|1", "3|5|6", "4|5|4|9|1", "5|5|6|16|2", "9" * 10_500],
    ),
    "log.csv": (
        "job_id,submission_time,requested_number_of_resources,starting_time,finish_time",
        ["1,5,1,6,16", "2,5,1,6,x", "3,5", "4,5,1,4,9", "5,5,2,6,16", "9" * 10_500],
    ),
    "log.swf": (
        "; MaxProcs: 9",
        [
            *("1 5 1 10 1" + " -1" * 13, "2 5 1 x 1" + " -1" * 13, "3 5", "1 5 1 10 1" + " -1" * 13),
            *("5 5 1 10 2" + " -1" * 13, "9" * 10_500),
        ],
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_invalid_lines_can_be_left_out(tmp_path, name):
    heading, rows = BAD[name]
    path = tmp_path / name
    path.write_bytes(gzip.compress("\n".join([heading, *rows]).encode(), mtime=0))
    with pytest.raises(InputError, match=r"line 3.*--skip-invalid"):
        read_log(path)
    log = read_log(path, skip_invalid=True)
    assert [(job.id.strip("J"), job.processors) for job in log.jobs] == [("1", 1), ("5", 2)]
    assert log.skipped == {"invalid line": 4}
    assert log.remarks[0].startswith("4 invalid lines were left out, the first: line 3, ")
    stream = read_stream(path, skip_invalid=True)
    assert stream.ids.size == 2 and stream.skipped == {"invalid line": 4} and stream.remarks == log.remarks
    with pytest.raises(InputError, match=r"line 3.*--skip-invalid"):
        read_stream(path)
    instance = oas.logs.read(path, skip_invalid=True).windows(processors=9)[0].instance
    assert '"invalid line": 4' in instance.provenance["skipped"] and "line 3" in instance.provenance["remarks"]


def test_invalid_lines_are_in_the_provenance_of_slices():
    log = oas.logs.read(FILES / "sw_negrun.swf", skip_invalid=True)
    provenance = log.to_instance(1, count=1).provenance
    assert provenance["left_out"] == '{"invalid line": 1}' and "line 3, field 4" in provenance["remarks"]


def test_minus_zero_is_zero():
    assert [(job.submit, job.start, job.end) for job in case("sw_negzero.swf").jobs] == [(0, 0, 100)]
    assert read_stream(FILES / "sw_negzero.swf").time.tolist() == [100]
    with pytest.raises(InputError, match=r"line 3, field 4 \(run_time\).*--skip-invalid"):
        case("sw_negrun.swf")
    assert len(case("sw_negrun.swf", skip_invalid=True).jobs) == 1


def test_all_dialects_give_the_same_jobs():
    answers = [examine(7, index) for index in range(150)]
    assert answers.count("read") > 100 and answers.count("refused") < 15


@pytest.mark.slow
def test_two_thousand_dialects():
    assert main(["--count", "2000", "--seed", "3"]) == 0
