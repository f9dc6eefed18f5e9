"""fmsop check: whether an answer is right."""

import json
import os
import subprocess
import threading
from collections.abc import Sequence

from .data import Group
from .errors import TrainError


class Judge:
    """A process of the program FMSOP, or of fmsop on the PATH."""

    def __init__(self):
        program = os.environ.get("FMSOP", "fmsop")
        try:
            # In a session of its own: Ctrl-C is for the trainer, which still asks it.
            self.process = subprocess.Popen(
                [program, "check", "--quiet"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
            )
        except OSError as e:
            raise TrainError(
                f"{program}: {e.strerror}: set FMSOP to the program, which judges answers, or --set decode_groups=0 to go without"
            ) from e

    def valid(self, groups: Sequence[Group], answers: Sequence[str]) -> list[bool]:
        questions = [{"reference": g.reference, "view": g.view, "answer": a} for g, a in zip(groups, answers)]
        lines = "".join(json.dumps(q) + "\n" for q in questions).encode()
        # Both pipes are bounded: verdicts are read while questions are written.
        writer = threading.Thread(target=self._write, args=(lines,))
        writer.start()
        replies = [self.process.stdout.readline() for _ in questions]
        writer.join()
        if not all(replies):
            raise TrainError(f"fmsop check ended with status {self.process.wait()}")
        verdicts = [json.loads(r) for r in replies]
        for g, v in zip(groups, verdicts):
            if "error" in v:
                raise TrainError(f"fmsop check: row {g.id}: {v['error']}")
        return [v["valid"] for v in verdicts]

    def _write(self, lines: bytes) -> None:
        try:
            self.process.stdin.write(lines)
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # told by the missing replies

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
