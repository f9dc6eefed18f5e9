"""Reads a dataset folder of fmsop: its manifest, and its rows line by line."""

import hashlib
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import TrainError

VERSION = 1  # of the folder's layout


@dataclass(frozen=True)
class Group:
    """A query over a context, one right answer and the wrong ones."""

    id: str
    stage: int
    view: str
    domain: str
    procedure: str
    context: str
    query: str
    positive: str
    negatives: tuple[str, ...]
    operators: tuple[str, ...]  # that made the negatives, in their order
    reference: str  # JSON: what an answer is judged against

    @property
    def prompt(self) -> str:
        return f"{self.context}\n\n{self.query}" if self.context else self.query


@dataclass(frozen=True)
class Folder:
    path: Path
    sha256: str  # of the manifest, which has those of the files
    stages: tuple[int, ...]
    files: dict[str, dict[str, Any]]

    @property
    def train(self) -> str:
        """The training file that holds all the training rows."""
        return f"train_{self.stages[-1]}.jsonl.zst"

    def groups(self, name: str) -> Iterator[Group]:
        """The groups of a file, in constant memory; a file that is not what the
        manifest says is refused when it has been read."""
        path = self.path / name
        if not path.exists() and path.with_suffix("").exists():
            path = path.with_suffix("")  # .jsonl
        digest = hashlib.sha256()
        for number, line in enumerate(_lines(path, digest), 1):
            try:
                yield _group(line)
            except (KeyError, TypeError, ValueError, AttributeError) as e:
                reason = f"no {e}" if isinstance(e, KeyError) else str(e)
                raise TrainError(f"{path}:{number}: {reason}; fmsop verify {self.path} says more") from e
        if digest.hexdigest() != self.files[name]["sha256"]:
            raise TrainError(f"{path}: its rows are not those of manifest.json; fmsop verify {self.path} says more")


def open_folder(path: Path) -> Folder:
    manifest = path / "manifest.json"
    try:
        text = manifest.read_bytes()
        m = json.loads(text)
        version, stages, files = m["version"], tuple(m["stages"]), m["files"]
    except OSError as e:
        raise TrainError(f"{path} is no dataset folder: manifest.json: {e.strerror}; fmsop generate makes one") from e
    except (ValueError, KeyError, TypeError) as e:
        raise TrainError(f"{manifest} cannot be read: fmsop verify {path} says more") from e
    if version != VERSION:
        raise TrainError(f"{manifest}: version is {version}, this program reads {VERSION}: make the data again with fmsop generate")
    return Folder(path, hashlib.sha256(text).hexdigest(), stages, files)


def _lines(path: Path, digest) -> Iterator[bytes]:
    try:
        with path.open("rb") as f:
            for line in io.BufferedReader(_decompressed(f)) if path.suffix == ".zst" else f:
                digest.update(line)
                yield line
    except OSError as e:
        raise TrainError(f"{path}: {e.strerror or e}") from e


def _decompressed(f):
    import zstandard

    class Reader(io.RawIOBase):
        """zstandard's frames one behind the other. Its own reader takes an end within
        a frame for the end of the data."""

        def __init__(self):
            self.frame, self.read, self.out = None, b"", b""

        def readable(self):
            return True

        def readinto(self, buffer):
            while not self.out:
                self.read = self.read or f.read(zstandard.DECOMPRESSION_RECOMMENDED_INPUT_SIZE)
                if not self.read and self.frame:
                    raise OSError("it ends within its compressed data, as a copy that was broken off does")
                if not self.read:
                    return 0
                self.frame = self.frame or zstandard.ZstdDecompressor().decompressobj()
                try:
                    self.out = self.frame.decompress(self.read)
                except zstandard.ZstdError as e:
                    raise OSError(f"not zstd, or damaged: {e}") from e
                self.read = b""
                if self.frame.eof:
                    self.frame, self.read = None, self.frame.unused_data
            n = min(len(buffer), len(self.out))
            buffer[:n], self.out = self.out[:n], self.out[n:]
            return n

    return Reader()


def _group(line: bytes) -> Group:
    row = json.loads(line)
    negatives = row["negatives"]
    if not negatives:
        raise ValueError(f"row {row['id']!r} has no negatives, want at least one")
    return Group(
        id=row["id"],
        stage=int(row["stage"]),
        view=row["view"],
        domain=row["domain"],
        procedure=row["procedure"],
        context=row["context"],
        query=row["query"],
        positive=row["positive"]["text"],
        negatives=tuple(n["text"] for n in negatives),
        operators=tuple(n["operator"] for n in negatives),
        reference=row["reference"],
    )
