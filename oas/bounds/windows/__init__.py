"""Refutation of a makespan by a search tree over windows of starts, with a log of every step.

Two problems are searched in this form: co-allocation, where modes are levels of speed, and MOSP, where modes are
clusters. Their modules say why weightings and pairs that are apart hold of an instance. `oas.checker.windows_log`
describes the log and proves that each of its entries is right. The rules are

- *energy* (Baptiste, Le Pape and Nuijten, 2001): what all jobs need in an interval closes a row or narrows a window;
- *order*: a job in a mode that is apart from another job in all of its modes runs before or after it;
- *conflicts*: pairs of jobs that cannot all overlap;
- *branching*: on the order of two jobs, on the starts of a job, or on its modes.
"""
