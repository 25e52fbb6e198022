"""Invented certificates: whatever a checker accepts, it must confirm nothing above the optimum.

`benchmarks.robustness.tampering` changes valid certificates; here they are constructed from nothing, with every choice
that the form of a certificate leaves, and their weights are changed for as long as the confirmed bound rises. Optima
and schedules come from enumerations of their own (`grids`, `fair`), which share no code with `oas`.
"""
