"""Linear programs that grow while they are solved (worker side).

`program` is a linear program whose rows, columns and bounds change, `master` a restricted master problem, `generation`
the loop of column generation, and `tree` a best-first tree. The problems define columns, rows, pricing and splits.
"""
