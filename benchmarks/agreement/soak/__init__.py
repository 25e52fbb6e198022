"""A soak: instances of odd shapes, without end, on which everything that has an answer is held against brute force.

`drawing` makes an instance of a seed; `makespan` and `fair.examining` hold the participants against its optimum;
`checking` lets the checkers say what they make of true and false results; `shrinking` makes an instance on which a
participant differs smaller; `journal` keeps what was found; `command` runs it all.
"""
