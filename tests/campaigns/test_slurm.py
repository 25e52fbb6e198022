"""What is handed to SLURM, without a SLURM: the job script, and what is refused before there is one."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import dask
import pytest

from oas.campaigns import engines
from oas.campaigns.engines import EngineMissingError, slurm_cluster, slurm_engine
from oas.core.errors import InputError
from tests.campaigns.runs import ONE_INSTANCE, campaign_of

GOLDEN = Path(__file__).parent / "golden" / "slurm_job.sh"
LOOPBACK = {"scheduler_options": {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}}
OPTIONS = {
    "queue": "compute",
    "account": "grids",
    "cores": 4,
    "memory": "16GB",
    "walltime": "12:00:00",
    "job_extra_directives": ["--exclusive"],
    "job_script_prologue": ["module load python"],
}


@pytest.fixture(autouse=True)
def dask_folder(tmp_path):
    """Where Dask keeps its own files."""
    with dask.config.set({"temporary-directory": str(tmp_path)}):
        yield


def scripted(options):
    """The job script, without what this machine puts into it."""
    with slurm_cluster({**LOOPBACK, **options}) as cluster:
        script = cluster.job_script()
    script = script.replace(sys.executable, "PYTHON")
    return re.sub(r"tcp://[\d.]+:\d+", "SCHEDULER", script)


def test_the_job_script():
    assert scripted(OPTIONS) == GOLDEN.read_text()
    assert subprocess.run(["bash", "-n", GOLDEN], check=False).returncode == 0
    by_default = scripted({})  # one worker of one thread
    assert all(option in by_default for option in ("--cpus-per-task=1", "--nthreads 1 ", "--mem=4G"))


def test_an_unknown_option():
    with pytest.raises(InputError, match=r"slurm.wall_time: unknown; did you mean walltime.* known: "):
        slurm_cluster({**LOOPBACK, "wall_time": "1:00"})


def test_no_slurm_here(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EngineMissingError, match="no sbatch here"), slurm_engine({}, 1):
        pass


def test_a_queue_that_refuses(tmp_path):
    sbatch = tmp_path / "sbatch"
    sbatch.write_text("#!/bin/sh\necho 'Invalid account' >&2\nexit 1\n")
    sbatch.chmod(0o755)
    options = '[slurm.scheduler_options]\nhost = "127.0.0.1"\ndashboard_address = "127.0.0.1:0"\n'
    campaign_of(tmp_path, ONE_INSTANCE.format(limits="time = 60") + '[[methods]]\nheuristics = "FCFS"\n' + options)
    environment = {
        **os.environ,
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "DASK_TEMPORARY_DIRECTORY": str(tmp_path),
    }
    command = [sys.executable, "-m", "oas", "bench", "run", "campaign.toml", "--slurm", "1"]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode not in (0, 1), done.stderr
    assert re.search(r"(?s)1 SLURM jobs: they could not be started: .*Invalid account", done.stderr)


def test_a_library_that_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "dask_jobqueue", None)
    with pytest.raises(EngineMissingError, match=r"pip install 'oas-scheduling\[cluster\]'"):
        slurm_cluster({})


def test_importing_the_library_does_not_take_ctrl_c_away():
    body = "import signal; from oas.campaigns import engines; engines._import('dask_jobqueue')\n"
    body += "assert signal.getsignal(signal.SIGINT) is signal.default_int_handler"
    root = str(Path(__file__).parents[2])
    subprocess.run([sys.executable, "-W", "ignore", "-c", body], cwd=root, check=True)
    assert engines._import("dask_jobqueue")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
