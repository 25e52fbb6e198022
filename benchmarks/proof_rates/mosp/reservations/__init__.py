"""Proof rates on one cluster with reservations: `oas.solve` as it stands, and CP-SAT alone on the same instances.

    python -m benchmarks.proof_rates.mosp.reservations --plan random three-partition --rows FILE --report PAGE

200 instances; ``--jobs 10 20 --seeds 2 --seconds 10`` runs a sample. Rows are kept, and the same
command goes on from there.
"""
