"""Charts of MOSP, and how its Gantt charts look."""
