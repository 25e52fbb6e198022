"""Policies and references for fair scheduling by contribution.

- `policy`: what an on-line policy is told and answers; `engine` runs one, `policy_method` makes a method of it.
- `ref`, `rand`: REF, the exact reference, and RAND(N), by schedules of `coalitions`; `certificate` has REF's claims
  checked by a `second` algorithm.
- `fcfs`, `round_robin`: the order of presentation, and in turns.
- `direct_contribution`: DIRECTCONTR, which estimates contributions without coalitions.
- `fair_share`, `fair_tree`: decayed usage (`decayed_usage`) against shares, flat and in a tree of accounts.
"""

from __future__ import annotations

from heuristics.fair.adoption import adopted

__all__ = ["adopted"]
