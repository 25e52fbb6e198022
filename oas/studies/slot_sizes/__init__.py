"""The size η of the time slots: what a coarse grid costs, split into rounding and scheduling, and what it saves."""
