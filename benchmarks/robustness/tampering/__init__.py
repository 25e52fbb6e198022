"""Tampered results by the ten thousand: none may be accepted above the true optimum, nor cost a checker much."""
