"""Proof rates of the MOCCA paper's experiment: what is proven, and how, beside CP-SAT from the same start and bound.

    python -m benchmarks.proof_rates.mosp --plan uni swf --rows build/mosp.jsonl
    python -m benchmarks.proof_rates.mosp --rows build/mosp.jsonl --report benchmarks/results/proof_rates_mosp.md

Each instance by every heuristic, by `oas.solve` as it stands, then by CP-SAT on the cumulative model, in a process of
its own, with one thread.
"""
