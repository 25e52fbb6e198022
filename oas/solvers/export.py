"""Write a model as an LP or MPS file, through Pyomo's writers."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from oas.core.errors import InputError

FORMATS = {".lp": "cpxlp", ".mps": "mps"}  # by Pyomo's names


def write_model(builder: str, payload: object, path: str | Path) -> Path:
    """Write what `builder` makes of `payload` to `path`, in the format of its suffix, and return the path.

    Names are the model's own (characters the formats forbid replaced), and equal models give equal files. The model
    is built in this process: no solver is needed.

    `builder` is ``package.module:function``, as in `Task`.

    Raises
    ------
    InputError
        If the suffix is neither ``.lp`` nor ``.mps``, or the builder gives no model to minimise.
    """
    target = Path(path)
    format_name = FORMATS.get(target.suffix.lower())
    if format_name is None:
        raise InputError(f"must end in {' or '.join(FORMATS)}", field="path", value=str(path))
    from oas.solvers.variables import check_model

    module, _, name = builder.partition(":")
    try:
        function = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise InputError(f"cannot be imported: {error}", field="builder", value=builder) from None
    model = check_model(function(payload), builder)
    # The format must be named: by the suffix alone Pyomo takes capitals for an unknown format.
    model.write(str(target), format=format_name, io_options={"symbolic_solver_labels": True})
    return target
