"""Soak test: all methods are compared with brute force and with theorems for as long as the user wants.

`drawing` generates tiny instances, `makespan` and `fair` compare participants with the optima, `results` tests the
checkers on true and false results, `guarantees`, `list_orders` and `strategies` test theorems on separate instances,
`rows` creates and reports rows of findings, and `checks` lists the checks.
"""
