import inspect
import subprocess
import sys

import pytest

import oas.generate
from oas.cli.helping import parameter_texts
from oas.generate.mosp.worst_cases.gallery import worst_cases
from oas.generate.registry import generators
from oas.problems.coallocation.instance import CoallocationInstance
from oas.problems.fair.instance import FairInstance
from oas.problems.mosp.instance import MospInstance


def test_every_generator_is_found_by_its_name() -> None:
    names = ["section4", "workload", "tiny", "uni", "swf", "reservations", "arrivals", "saturated"]
    assert [one.name for one in generators()] == names
    assert list(oas.generate.GENERATORS.values()) == list(generators())
    for one in generators():
        assert getattr(oas.generate, one.name) is one.function
        assert one.name in oas.generate.__all__
        assert one.summary


def test_parameters_can_be_read_off() -> None:
    for one in generators():
        signature = inspect.signature(one.function, eval_str=True)
        assert signature.return_annotation in (CoallocationInstance, FairInstance, MospInstance)
        assert all(parameter.annotation is not inspect.Parameter.empty for parameter in signature.parameters.values())


def test_every_parameter_has_a_text_of_its_own() -> None:
    for one in (*generators(), *worst_cases()):
        texts = parameter_texts(one.function)
        names = inspect.signature(one.function).parameters
        assert set(names) <= set(texts) and len({texts[name] for name in names}) == len(names), one.name


def test_names_say_one_job_and_two_jobs() -> None:
    assert "1 job on 1x2" in oas.generate.section4(jobs=1, clusters=1, nodes=2).name
    assert "2 jobs of 1 organization with 3 processors" in oas.generate.uni(jobs=2, organizations=1, processors=3).name


def test_provenance_names_generator_and_every_parameter() -> None:
    for one in generators():
        parameters = inspect.signature(one.function).parameters
        needed = {name: 1 for name, each in parameters.items() if each.default is inspect.Parameter.empty}
        instance = one.function(**needed)
        assert instance.name
        assert instance.provenance["generator"] == one.name
        assert set(instance.provenance) == {"generator", "version", *parameters}


def test_names_are_handed_on_lazily() -> None:
    code = (
        "import sys, oas.generate\n"
        "assert not [m for m in sys.modules if m.startswith('oas.generate.')]\n"
        "oas.generate.section4()\n"
        "assert not {'pyomo', 'highspy', 'pandas', 'matplotlib'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_unknown_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        oas.generate.nonsense  # noqa: B018
