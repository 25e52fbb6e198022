"""REF once more, by another algorithm: what its certificates are checked with. It shares no code with the first."""
