"""A soak test: everything that has an answer is compared with brute force and with theorems, as long as one likes.

`drawing` makes tiny instances of seeds, `makespan` and `fair` compare participants with their optima, `results` has the
checkers judge true and false results, `guarantees`, `list_orders` and `strategies` try theorems on instances of their
own, `rows` makes and reports rows of findings; `checks` lists the checks.
"""
