"""Every test here must leave nothing behind: no file of ours, no process of ours."""

from tests.solvers.conftest import mark, scratch  # noqa: F401 - fixtures
