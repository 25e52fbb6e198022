"""Solution files of six kinds are read, and malformed ones are errors that name file, line and value."""

import pytest

from oas.core.errors import InputError
from oas.solving.solution_files import read_solution

HIGHS = """Model status
Optimal

# Primal solution values
Feasible
Objective 12
# Columns 3
start(0_1) 1
start(0_2) 0
makespan 11.999999999999998
# Rows 1
once(0) 1

# Dual solution values
None
"""
CBC = """Optimal - objective value 12.00000000
      0 start(0_1)                     1                       2
**    2 makespan              11.9999999                       0
"""
SCIP = """solution status: optimal solution found
objective value:                                   12
start(0_1)                                          1 \t(obj:0)
makespan                                   1.2000e+01 \t(obj:1)
"""
GUROBI = """# Solution for model model
# Objective value = 12
start(0_1) 1
start(0_2) 0
makespan 12
"""
CPLEX = """<?xml version = "1.0" encoding="UTF-8" standalone="yes"?>
<CPLEXSolution version="1.2">
 <header problemName="model.lp" objectiveValue="12" solutionStatusString="integer optimal solution"/>
 <linearConstraints>
  <constraint name="once(0)" index="0" slack="0"/>
 </linearConstraints>
 <variables>
  <variable name="start(0_1)" index="0" value="1"/>
  <variable value='12' name='makespan'/>
 </variables>
</CPLEXSolution>
<CPLEXSolution version="1.2">
 <variables><variable name="start(0_1)" index="0" value="0"/></variables>
</CPLEXSolution>
"""
PLAIN = """\ufeffstart(0_1) = 1

makespan  +12.0
"""


@pytest.mark.parametrize(
    "text",
    [HIGHS, CBC, SCIP, SCIP.partition("\n")[2], GUROBI, CPLEX, PLAIN],
    ids=["highs", "cbc", "scip", "scip's best", "gurobi", "cplex", "plain"],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_values_are_read_by_name(text, newline, tmp_path):
    file = tmp_path / "solution"
    file.write_text(text, "utf-8", newline=newline)
    values = read_solution(file)
    assert {name: round(value, 6) for name, value in values.items() if value} == {"start(0_1)": 1, "makespan": 12}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("# only comments\n", "holds no values"),
        ("x\n", r"line 1: must be the name of a variable and its value \(got 'x'\)"),
        ("x 1\n\ny one\n", r"line 3: the value of y is not a finite number \(got 'one'\)"),
        ("x nan\n", "line 1: the value of x is not a finite number"),
        ("x 1e999\n", "line 1: the value of x is not a finite number"),
        ("x ١\n", "line 1: the value of x is not a finite number"),
        ("x 1_0\n", "line 1: the value of x is not a finite number"),
        ("x 1\nx 1\n", r"line 2: a second value of this variable \(got 'x'\)"),
        ("Infeasible - objective value 3.0\n 0 x 0.5 0\n", "line 1: holds no solution"),
        ("Integer infeasible - objective value 3.0\n 0 x 0.5 0\n", "line 1: holds no solution"),
        ("Stopped on time (no integer solution - continuous used) - objective value 3.0\n", "holds no solution"),
        ("Optimal - objective value 3.0\n 0 x 0.5\n", r"line 2: must be index, name, value and reduced cost"),
        ("solution status: infeasible\nno solution available\n", "line 2: holds no solution"),
        (SCIP.replace("makespan  ", "makespan 2 "), "line 4: must be the name"),
        (HIGHS.replace("Feasible", "None").replace("# Columns", "# C"), r"line 5: holds no solution \(got 'None'\)"),
        (HIGHS.replace("Columns 3", "Columns 5"), "line 7: as many lines must follow"),
        (HIGHS.replace("Columns 3", "Columns x"), "line 7: as many lines must follow"),
        (HIGHS.replace("# Columns 3", ""), "holds no columns"),
        ("Columns\n    Index Status\n", "line 1: is in the table style of HiGHS"),
        (CPLEX.replace(' value="1"', "", 1), "line 8: must have a name and a value"),
        (CPLEX.partition("</CPLEXSolution>")[0], "ends before the end of the solution"),
        ("<html></html>\n", "is not a solution file of CPLEX"),
    ],
)
def test_malformed_files_are_errors(text, message, tmp_path):
    file = tmp_path / "solution.sol"
    file.write_text(text, "utf-8")
    with pytest.raises(InputError, match=message) as caught:
        read_solution(file)
    assert "solution.sol" in str(caught.value)


def test_files_that_are_no_texts_are_errors(tmp_path):
    (tmp_path / "binary").write_bytes(b"x \xff 1")
    with pytest.raises(InputError, match="is not a text in UTF-8: byte 2"):
        read_solution(tmp_path / "binary")
    with pytest.raises(InputError, match="missing: cannot be read"):
        read_solution(tmp_path / "missing")
