"""Signals that are put off: nothing is cut short, and nothing is lost."""

import signal
import threading

import pytest

from oas.core.signals import signals_afterwards


def test_ctrl_c_is_handled_after_the_code_inside():
    done = []
    with pytest.raises(KeyboardInterrupt), signals_afterwards():
        signal.raise_signal(signal.SIGINT)
        done.append("all of it")
    assert done
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_counts_where_the_code_inside_fails():
    with pytest.raises(KeyboardInterrupt), signals_afterwards():
        signal.raise_signal(signal.SIGINT)
        raise ValueError


def test_ignored_signals_stay_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with signals_afterwards():
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)


def test_another_thread_puts_nothing_off():
    handlers = []

    def look():
        with signals_afterwards():
            handlers.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert handlers == [signal.getsignal(signal.SIGINT)]
