"""Stages of the exact search of MOSP: each takes the search, and adds a schedule or a bound. `PLAN` orders them."""
