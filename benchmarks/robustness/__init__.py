"""Hostile files, giant files, kills: what must not break anything."""
