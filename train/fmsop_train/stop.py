"""Ctrl-C: the first lets the step in hand end, the second stops at once."""

import signal


class Stop:
    def __init__(self):
        self._asked = False
        for s in (signal.SIGINT, signal.SIGTERM):
            signal.signal(s, self._ask)

    def _ask(self, number, frame) -> None:
        self._asked = True
        signal.signal(number, signal.SIG_DFL)

    def asked(self) -> bool:
        return self._asked
