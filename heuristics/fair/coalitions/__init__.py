"""Schedules of many coalitions side by side, chunk of time by chunk: what REF and RAND run on."""
