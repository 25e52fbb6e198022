"""Proof rates of co-allocation: how much is proven, and how, beside CP-SAT on the same instances.

    python -m benchmarks.proof_rates.coallocation --plan eight sixteen --rows build/coallocation.jsonl
    python -m benchmarks.proof_rates.coallocation --rows build/coallocation.jsonl \
        --report benchmarks/results/proof_rates_coallocation.md --charts docs

Section 4 instances of the OAS paper at any size and in both bandwidth settings: each by `oas.solve` as it stands, then
by CP-SAT on the counts model, in a process of its own, with one thread.
"""
