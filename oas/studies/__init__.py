"""Studies over methods: comparison."""
