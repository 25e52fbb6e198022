"""Public benchmark sets with published optima: bin packing, P||Cmax and strip packing as instances of MOSP.

    python -m benchmarks.external fetch                        # into build/external, checksums verified
    python -m benchmarks.external fetch --from FOLDER          # the same files out of a folder, without network
    python -m benchmarks.external list
    python -m benchmarks.external run --rows build/external.jsonl --sets hard28 beng --seconds 60
    python -m benchmarks.external report --rows build/external.jsonl benchmarks/results/external.md

`catalogue.toml` names the files, where they come from, their checksums, and what is published of each instance. No data
is kept in the repository. Each instance is solved by `oas.solve` as it stands, then by CP-SAT from the same start, and
held against what is published: what contradicts it is an error.
"""
