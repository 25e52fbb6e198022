"""Job logs: formats, slices and windows of them."""
