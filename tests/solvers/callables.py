"""Functions for the worker to call; importable there by name."""

import os
import time
from fractions import Fraction

from oas.core.errors import InputError


def echo(payload, _session):
    return payload


def half(payload, session):
    """Stream something, then do as told."""
    kind, argument = payload
    session.progress(1.5, 7)
    session.partial({"half": Fraction(1, 3), "kind": "first"})
    session.partial({"half": Fraction(1, 2), "kind": kind})
    if kind == "raise":
        raise ZeroDivisionError("on purpose")
    if kind == "refuse":
        raise InputError("no such thing", field="payload", value=argument)
    if kind == "signal":
        os.kill(os.getpid(), argument)
    if kind == "exit":
        os._exit(3)
    if kind == "deaf":
        time.sleep(argument)
    while kind == "listen" and not session.stop.requested:
        time.sleep(0.01)
    while kind == "clock" and not session.time_is_up:
        time.sleep(0.01)
    return "whole"
