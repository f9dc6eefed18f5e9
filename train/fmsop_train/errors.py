"""Errors that a person can act on: one line that says what is wrong and what to do."""

import difflib
from collections.abc import Iterable


class TrainError(Exception):
    """Something that failed or does not hold; the program ends with status 1."""


class UsageError(TrainError):
    """A command line or recipe that cannot be run; the program ends with status 2."""


def unknown(what: str, word: str, accepted: Iterable[str]) -> str:
    """The complaint about a word that is none of those accepted."""
    words = sorted(accepted)
    near = difflib.get_close_matches(word, words, n=1)
    hint = f", did you mean {near[0]}?" if near else f", want {one_of(words)}"
    return f"unknown {what} {word!r}{hint}"


def one_of(words: list[str]) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1]
