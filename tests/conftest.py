"""What every test stands on."""

import signal

# A shell's background job ignores Ctrl-C, one under nohup the end of its terminal, and so does all that they start: no
# test of such a signal could work.
for number, default in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, default)
