"""Charts of MOSP, and the style of its Gantt charts."""
