"""Charts of co-allocation, and how its Gantt charts look."""
