"""Tampered results: no checker may accept a bound above the optimum, or take long, or end in an error.

`specimens` makes honest results with known optima, `draft` claims more of one without a contradiction, `rules` and
`costly` alter it, `checkers` asks the checkers under limits.
"""
