"""Heuristics for the Multi-Organization Scheduling Problem, one module for each family of methods.

- `list_scheduling`: no cooperation; FCFS, SJF, BJF, SPT, LPT, HF, RND over all clusters, and LSRC in any of these
  orders; FCFS-strict, conservative and EASY back-filling.
- `batches`: any method on line, in batches.
- `mocca`: MOCCA, MOCCA-7 and their cuts, and ILBA, which balances their schedules; MOLBA at the cuts 2 and 3, and for
  high jobs. `mocca_phases` contains the algorithms of MOCCA, and the instances with cuts.

`guarantees` has the hypotheses of methods and proven ratios. List scheduling and free processors over time are in
`oas.mosp.search.queueing`.
"""
