"""OAS paper, sections 4.1 and 4.2, with saturated links that slow jobs down instead of being forbidden.

    python -m benchmarks.papers.saturation --plan 4.1 4.2 --rows FILE --report benchmarks/results/saturation_section4.md

The paper forbids saturation "for simplicity". On the instances of its section 4 (its own are unpublished: those drawn
for `benchmarks.papers`) the optimum under ``forbid`` stands beside those at three thresholds of ``slowdown``, the
heuristics beside each of them, and plans made without knowing of slowdown as they run under it. ``--seeds`` and
``--seconds`` run a sample. Rows are kept, and the same command goes on from there.
"""
