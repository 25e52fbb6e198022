"""Charts of co-allocation, and the style of its Gantt charts."""
