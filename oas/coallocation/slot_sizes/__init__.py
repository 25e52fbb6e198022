"""The size η of the time slots: cost of a coarse grid, split into rounding and scheduling loss, and its benefit."""
