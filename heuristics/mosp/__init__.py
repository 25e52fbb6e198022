"""Heuristics for the Multi-Organization Scheduling Problem, a module for each family of methods.

- `local`: no cooperation.
- `list_scheduling`: FCFS, SJF, BJF, SPT, LPT, HF, RND over all clusters, and LSRC in any of these orders.
- `backfilling`: FCFS-strict, conservative and EASY.
- `batches`: any method on line, in batches.
- `mocca`: MOCCA, MOCCA-7 and their cuts; the algorithms are in `mocca_phases` and `mocca_cuts`.
- `molba`: MOLBA at the cuts 2 and 3, and for high jobs.
- `ilba`: load balancing of MOCCA's schedules and of the local ones.

They share `queueing` and `capacity` (list scheduling and free capacity over time), `orders`, `ticks` (schedules in
ticks), `threshold` (lower bounds and what ends before a multiple of them), `cut_names` (what a name gives in brackets),
`conditions` with `requirements` (hypotheses that methods declare) and `guarantees` (proven ratios). `search` holds the
local searches of the exact method.
"""
