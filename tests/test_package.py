"""What is published: sdist and wheel as the index takes them, and the wheel installed where nothing else of ours is."""

import email
import re
import subprocess
import sys
import sysconfig
import tarfile
import venv
from pathlib import Path
from typing import NamedTuple
from zipfile import ZipFile

import pytest

from tests.documents import run_command

ROOT = Path(__file__).parents[1]
BUILD = "from hatchling.build import build_{0}; build_{0}({1!r})"
# The environment's own packages come first; nothing is fetched.
OFFLINE = {"PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PYTHONPATH": ""}


class Distributions(NamedTuple):
    sdist: Path
    wheel: Path

    @property
    def metadata(self):
        with ZipFile(self.wheel) as files:
            (name,) = [name for name in files.namelist() if name.endswith(".dist-info/METADATA")]
            return email.message_from_bytes(files.read(name))


@pytest.fixture(scope="module")
def distributions(tmp_path_factory):
    """The sdist, and the wheel that is made from it alone."""
    folder = tmp_path_factory.mktemp("dist")
    sdist = build("sdist", ROOT, folder)
    with tarfile.open(sdist) as files:
        files.extractall(folder / "source", filter="data")
    (source,) = (folder / "source").iterdir()
    return Distributions(sdist, build("wheel", source, folder))


def build(kind, source, folder):
    before = set(folder.iterdir())
    command = [sys.executable, "-c", BUILD.format(kind, str(folder))]
    done = subprocess.run(command, cwd=source, capture_output=True, encoding="utf-8", timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    (made,) = set(folder.iterdir()) - before
    return made


@pytest.mark.slow
def test_the_index_takes_them(distributions):
    done = run_command([sys.executable, "-m", "twine", "check", "--strict", *map(str, distributions)], {})
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("PASSED") == 2


def test_description_points_to_whole_addresses(distributions):
    """The README is shown far from its repository: each picture and link names a file that is in it."""
    metadata = distributions.metadata
    (repository,) = [url.split(", ")[1] for url in metadata.get_all("Project-URL") if url.startswith("Repository, ")]
    raw = repository.replace("github.com", "raw.githubusercontent.com") + "/main/"
    found = re.findall(r"(!?)\[[^]]*\]\(([^)\s]+)\)", metadata.get_payload())
    assert len(found) > 10 and any(picture for picture, _ in found)
    for picture, target in found:
        home = raw if picture else f"{repository}/blob/main/"
        assert target.startswith(home), target
        assert (ROOT / target.removeprefix(home).partition("#")[0]).is_file(), target


def test_wheel_holds_the_packages_alone(distributions):
    with ZipFile(distributions.wheel) as files:
        rooms = {name.partition("/")[0] for name in files.namelist()}
        assert "oas/py.typed" in files.namelist()
    assert {room for room in rooms if not room.endswith(".dist-info")} == {"oas", "heuristics"}


def test_claimed_versions_are_those_tested():
    """Each version of Python in the classifiers is one that continuous integration runs the tests on."""
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    claimed = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', project)
    assert set(claimed) == set(re.findall(r'"(3\.\d+)"', workflow))
    assert f'requires-python = ">={claimed[0]}"' in project


def test_actions_are_pinned():
    """Each action from elsewhere is named by a commit, which nobody can move, and the version is a comment."""
    workflows = (ROOT / ".github" / "workflows").glob("*.yml")
    uses = [line for file in workflows for line in re.findall(r"uses: (?!\./)(.+)", file.read_text(encoding="utf-8"))]
    assert len(uses) > 5
    assert not [line for line in uses if not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+", line)]


@pytest.mark.slow
def test_installed_wheel_works(distributions, tmp_path):
    """In a new environment that sees the dependencies installed here, but not this checkout."""
    home = tmp_path / "environment"
    venv.create(home, symlinks=True)
    place = Path(sysconfig.get_path("purelib", vars={"base": str(home), "platbase": str(home)}))
    (place / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")  # its own .pth files are not read
    python = str(home / "bin" / "python")
    install = [sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--ignore-installed"]
    assert_done([*install, str(distributions.wheel)])
    where = assert_done([python, "-P", "-c", "import oas, heuristics; print(oas.__file__, heuristics.__file__)"])
    assert all(Path(file).is_relative_to(home) for file in where.split())
    oas = str(home / "bin" / "oas")
    assert_done([oas, "example", "grid", "--output", str(tmp_path / "grid.json")])
    assert (tmp_path / "grid.json").read_bytes() == (ROOT / "examples" / "grid.json").read_bytes()
    doctor = assert_done([oas, "doctor"])
    assert "highs: " in doctor and "cbc: " in doctor and "WRONG" not in doctor
    compared = assert_done([oas, "compare", str(tmp_path / "grid.json"), "--quiet"])
    assert re.search(r"^optimum +12 +4,020,000 ", compared, re.MULTILINE)
    assert "lower bound 4,020,000, proof: certificate" in compared
    assert "entries" in assert_done([oas, "library", "list"])


def assert_done(command):
    done = run_command(command, OFFLINE)
    assert done.returncode == 0, done.stderr
    return done.stdout
