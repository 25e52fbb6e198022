"""Linear programs that grow while they are solved (worker side).

`program` is a linear program whose rows, columns and bounds change, `master` a restricted master problem, and
`generation` the loop of column generation. The problems define columns, rows and pricing.
"""
