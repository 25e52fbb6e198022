"""Proof rates where saturated links slow jobs down: how much `oas.solve` proves, how, and what it leaves open.

    python -m benchmarks.proof_rates.coallocation.saturation --plan six eight sixteen --rows FILE --report PAGE

OAS section 4 instances with tight bandwidth, at three thresholds of saturation, without slots and with them.
``--seeds`` and ``--seconds`` run a sample. Rows are kept, and the same command goes on from there.
"""
