"""fmsop as a reward function for TRL's GRPOTrainer and for verl.

The score of an answer is 1 where it is right and at most 0.5 where it is not. It
is what `fmsop check` says: of a server where FMSOP_CHECK_URL names one, such as
http://127.0.0.1:8017/ of `fmsop check --serve :8017`, else of one process of the
program FMSOP (fmsop on the PATH) for each process that asks.
"""
import json
import os
import subprocess
import threading
import urllib.request

URL = os.environ.get("FMSOP_CHECK_URL", "")
PROGRAM = os.environ.get("FMSOP", "fmsop")

_lock = threading.Lock()
_process = None
_owner = 0  # the process id that _process belongs to: a fork has to have its own


def ask(questions):
    """Verdicts of a list of questions {"reference", "view", "answer"}."""
    if not questions:
        return []
    verdicts = _ask_server(questions) if URL else _ask_process(questions)
    for verdict in verdicts:
        if "error" in verdict:
            raise ValueError("fmsop check: " + verdict["error"])
    return verdicts


def _ask_server(questions):
    request = urllib.request.Request(URL, json.dumps(questions).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=120) as reply:
        return json.load(reply)


def _ask_process(questions):
    global _process, _owner
    with _lock:
        if _process is None or _owner != os.getpid() or _process.poll() is not None:
            _process = subprocess.Popen([PROGRAM, "check", "--quiet"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            _owner = os.getpid()
        lines = "".join(json.dumps(q) + "\n" for q in questions).encode()
        # Both pipes are bounded: answers are read while questions are written.
        writer = threading.Thread(target=_write, args=(_process.stdin, lines))
        writer.start()
        answers = [_process.stdout.readline() for _ in questions]
        writer.join()
    if not all(answers):
        raise RuntimeError(f"{PROGRAM} check ended with status {_process.wait()}")
    return [json.loads(line) for line in answers]


def _write(pipe, data):
    try:
        pipe.write(data)
        pipe.flush()
    except BrokenPipeError:
        pass  # told by the missing answers


def reward(completions, reference, view, **_):
    """TRL: scores of completions; reference and view are columns of the data."""
    answers = [c if isinstance(c, str) else c[-1]["content"] for c in completions]
    questions = [{"reference": r, "view": v, "answer": a} for r, v, a in zip(reference, view, answers)]
    return [float(verdict["score"]) for verdict in ask(questions)]


def compute_score(data_source, solution_str, ground_truth, extra_info=None, **_):
    """verl: the score of one answer."""
    question = {"reference": ground_truth, "view": (extra_info or {}).get("view", ""), "answer": solution_str}
    return float(ask([question])[0]["score"])
