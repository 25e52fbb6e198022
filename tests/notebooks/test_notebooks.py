"""The notebooks: stripped, the same on every machine, and all that they say is so: each is executed by a kernel."""

import ast
import json
import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import nbclient
import nbformat
import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
SECONDS = 600  # for a cell on a machine that is busy with other tests
WITHOUT_WIDGETS = "import sys\n\nsys.modules['ipywidgets'] = None  # as if it were not installed"
SLIDERS = "-slot-size"  # the notebook that has them
COLAB = "https://colab.research.google.com/github/oas-scheduling/oas-scheduling/blob/main/notebooks"
MOVED = """from fractions import Fraction

view.slot.value, view.method.value = Fraction(100), "LPT"
view.exploration.wait()
figures = view.figures
assert figures.instance.slot == instance.mean_base_time and figures.row.method == "LPT"
print(figures.line)
view.close()
"""

every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])


def read(path):
    return nbformat.read(path, as_version=4)


def execute(notebook, folder, monkeypatch):
    """Execute in `folder`, which has nothing of the repository."""
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    monkeypatch.setenv("IPYTHONDIR", str(folder / "ipython"))
    here = folder / "notebooks"
    here.mkdir()
    nbclient.NotebookClient(notebook, timeout=SECONDS, resources={"metadata": {"path": str(here)}}).execute()
    assert list(here.iterdir()) == []  # nothing is left behind
    return notebook


def site_extension():
    """Return the site's extension ``notebooks``, by its file: the folder of the notebooks has the same name."""
    spec = spec_from_file_location("site_notebooks", ROOT / "docs" / "extensions" / "notebooks.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def outputs(notebook):
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]


def pictures(notebook):
    return sum("image/png" in output.get("data", {}) for output in outputs(notebook))


def slider_cell(notebook):
    (index,) = [
        index for index, cell in enumerate(notebook.cells) if "oas.explore(" in cell.source and cell.cell_type == "code"
    ]
    return index


@every_notebook
def test_is_stripped_and_the_same_everywhere(path):
    text = path.read_text(encoding="utf-8")
    notebook = read(path)
    nbformat.validate(notebook)
    assert notebook.metadata == METADATA
    assert [cell.id for cell in notebook.cells] == [f"cell-{number:02}" for number in range(1, len(notebook.cells) + 1)]
    for cell in notebook.cells:
        assert cell.metadata == {}
        if cell.cell_type == "code":
            assert cell.outputs == [] and cell.execution_count is None
    assert text == json.dumps(json.loads(text), indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    assert not re.search(r"(?<![.\w<])/(home|Users|root|tmp|work|opt|usr)/|[A-Z]:\\\\", text), "an absolute path"


@every_notebook
def test_begins_with_a_question_and_ends_with_its_answer(path):
    """The gallery shows the first paragraph; the link opens this notebook."""
    first, *cells = read(path).cells
    _, question, link, *_ = first.source.split("\n\n")
    assert question.endswith("?") and f"({COLAB}/{path.name})" in link
    assert sum("## Answer" in cell.source for cell in cells[-4:]) == 1


@every_notebook
def test_claims_are_asserted(path):
    """A text that is no longer true must fail: each notebook checks what it says."""
    cells = [ast.parse(cell.source) for cell in read(path).cells if cell.cell_type == "code"]
    assert sum(any(isinstance(node, ast.Assert) for node in ast.walk(cell)) for cell in cells) >= 2


@pytest.mark.slow
@every_notebook
def test_runs(path):
    notebook = site_extension().executed(path.read_text(encoding="utf-8"))  # once, for the site too
    assert pictures(notebook) >= 2
    assert not [output for output in outputs(notebook) if output.get("name") == "stderr"]
    if SLIDERS in path.stem:
        check_sliders(notebook, slider_cell(notebook))


def check_sliders(notebook, index):
    """They are displayed, with the charts for pages without widgets."""
    (shown,) = notebook.cells[index].outputs
    states = notebook.metadata.widgets["application/vnd.jupyter.widget-state+json"]["state"]
    assert shown.data["application/vnd.jupyter.widget-view+json"]["model_id"] in states
    assert "<svg" in shown.data["text/html"]
    names = {one["state"].get("description") for one in states.values()}
    assert {"η", "bandwidth", "saturation", "method"} <= names
    # What nbclient sends to an output widget can cost it the answer it waits for (jupyter/nbclient#312).
    assert "OutputModel" not in {one["model_name"] for one in states.values()}


def with_sliders(*sources):
    """Return the notebook with the cell of sliders after the first source and before the others."""
    (path,) = [path for path in NOTEBOOKS if SLIDERS in path.stem]
    notebook = read(path)
    first, *others = sources
    cells = (first, notebook.cells[slider_cell(notebook)].source, *others)
    notebook.cells = [nbformat.v4.new_code_cell(source) for source in cells]
    return notebook


@pytest.mark.slow
def test_moved_sliders_change_the_figures(tmp_path, monkeypatch):
    """The other cells of the notebook are executed above."""
    loaded = "import oas\n\ninstance = oas.generate.section4(seed=9)"
    notebook = execute(with_sliders(loaded, MOVED), tmp_path, monkeypatch)
    check_sliders(notebook, 1)
    (printed,) = notebook.cells[2].outputs
    assert printed.text.startswith("LPT ") and "optimum" in printed.text and "proof: " in printed.text


USERS_OWN = """
from heuristics.coallocation.list_engine import list_schedule


def best(instance, *, seed=0):
    \"\"\"Largest first: optimal on the example grid.\"\"\"
    area = lambda job: instance.jobs[job].tasks * instance.jobs[job].base_time
    return list_schedule(instance, sorted(range(len(instance.jobs)), key=area, reverse=True), overtaking=True)


def broken(instance, *, seed=0):
    \"\"\"A schedule without jobs.\"\"\"
    from oas import Schedule

    return Schedule([])
"""


@pytest.mark.slow
def test_runs_beside_heuristics_of_a_user(tmp_path, monkeypatch):
    """They are installed as packages of entry points, and may reach the optimum or break rules."""
    package = tmp_path / "packages"
    (package / "mine-1.dist-info").mkdir(parents=True)
    (package / "mine.py").write_text(USERS_OWN)
    (package / "mine-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1\n")
    points = "[oas.heuristics]\nbest = mine:best\nbroken = mine:broken\n"
    (package / "mine-1.dist-info" / "entry_points.txt").write_text(points)
    monkeypatch.setenv("PYTHONPATH", str(package))
    (path,) = [path for path in NOTEBOOKS if path.stem.startswith("03-")]
    notebook = read(path)
    (grids,) = [cell for cell in notebook.cells if "grids = [" in cell.source]
    grids.source = grids.source.replace("range(20)", "range(4)")  # which heuristics there are is the question
    notebook = execute(notebook, tmp_path, monkeypatch)
    assert any("best" in str(output.get("data", "")) for output in outputs(notebook))


@pytest.mark.slow
def test_runs_without_widgets(tmp_path, monkeypatch):
    loaded = "import oas\n\ninstance = oas.load_example('grid')"
    notebook = execute(with_sliders(f"{WITHOUT_WIDGETS}\n{loaded}"), tmp_path, monkeypatch)
    (printed,) = outputs(notebook)
    assert "pip install 'oas-scheduling[notebooks]'" in printed.text and "widgets" not in notebook.metadata
