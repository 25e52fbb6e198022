"""How much of the MOCCA paper's experiment is closed, and how, beside CP-SAT from the same start and bound.

    python -m benchmarks.proof_rates.mosp --plan uni swf --rows build/closing_mosp.jsonl
    python -m benchmarks.proof_rates.mosp --rows build/closing_mosp.jsonl --report benchmarks/results/proof_rates_mosp.md

Each instance by every heuristic, by `oas.solve` as it stands, then by CP-SAT on the cumulative model, in a process of
its own, with one thread.
"""
