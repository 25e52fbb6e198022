"""Readers of public benchmark files: bytes in, a `Packing` out; one file a format."""
