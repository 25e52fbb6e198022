"""Tampered results: no checker may accept a bound above the optimum, exceed its limits, or fail with an error.

`specimens` makes honest results with known optima, `draft` claims more of one without a contradiction, `rules` and
`costly` alter it, `checkers` asks the checkers under limits.
"""
