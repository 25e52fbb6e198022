"""What every test stands on."""

import signal

# A shell that starts the tests in the background makes them ignore Ctrl-C, and so all that they start: no test of an
# interrupt could work.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
