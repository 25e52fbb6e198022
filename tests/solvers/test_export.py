import highspy
import pytest

from oas.core.errors import InputError
from oas.solvers.export import write_model
from oas.solvers.known.known_models import BUILDER, MODELS


@pytest.mark.parametrize("suffix", [".lp", ".mps", ".LP"])
@pytest.mark.parametrize("model", MODELS[:5] + MODELS[-3:], ids=lambda model: model.name)
def test_a_solver_reads_the_same_model_back(model, suffix, tmp_path, capfd):
    path = write_model(BUILDER, model.name, tmp_path / f"model{suffix}")
    plain = path.rename(path.with_suffix(suffix.lower()))
    solver = highspy.Highs()
    solver.silent()
    solver.readModel(str(plain))
    solver.run()
    assert solver.getInfo().objective_function_value == pytest.approx(float(model.optimum), abs=1e-6)
    assert "WARNING" not in capfd.readouterr().out


def test_equal_models_give_equal_files_with_the_models_names(tmp_path):
    one, two = (write_model(BUILDER, "HiGHS #3094", tmp_path / name).read_text() for name in ("a.lp", "b.lp"))
    assert one == two
    assert "x(z0)" in one


@pytest.mark.parametrize("name", ["model.txt", "model", "model.lp.gz"])
def test_other_suffixes(name, tmp_path):
    with pytest.raises(InputError, match="path"):
        write_model(BUILDER, "HiGHS #3094", tmp_path / name)


def test_what_is_no_builder(tmp_path):
    with pytest.raises(InputError, match="builder"):
        write_model("no.such:thing", None, tmp_path / "model.lp")
    with pytest.raises(InputError, match="builder"):
        write_model("tests.solvers.builders:maximised", None, tmp_path / "model.lp")
