"""Tampered results: no checker may accept a bound above the optimum, exceed its limits, or fail with an error.

`specimens` generates valid results with known optima, `draft` claims a better bound without a contradiction, `rules`
and `certificates` change the result, and `checkers` runs the checkers with limits.
"""
