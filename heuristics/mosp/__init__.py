"""Heuristics for the Multi-Organization Scheduling Problem; one module that exports METHOD is one heuristic."""
