"""python -m fmsop_train DATA --model FOLDER -o OUT"""

import argparse
import os
import sys
from pathlib import Path

from .errors import TrainError, UsageError


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise UsageError(message)


def parser() -> Parser:
    p = Parser(prog="fmsop_train", description="Trains a model on a dataset folder of fmsop.")
    p.add_argument("data", type=Path, metavar="DATA", help="dataset folder that fmsop generate has made")
    p.add_argument("--model", type=Path, required=True, metavar="FOLDER", help="model folder as Hugging Face writes it")
    p.add_argument("-o", "--output", type=Path, required=True, metavar="OUT", help="folder of the run")
    p.add_argument("--recipe", default="recommended", help="recommended, paper or a YAML file")
    p.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a setting of the recipe, which wins; may be repeated")
    p.add_argument("--resume", action="store_true", help="go on where the run in OUT was stopped")
    p.add_argument("--quiet", action="store_true", help="no progress bar and no remarks")
    return p


def main(arguments: list[str]) -> int:
    try:
        options = parser().parse_args(arguments)
        # Readers of the help do not wait for PyTorch.
        from .run import run

        run(options)
    except TrainError as e:
        rank = os.environ.get("RANK", "0")
        print("error: " + (f"process {rank}: " if rank != "0" else "") + str(e), file=sys.stderr)
        return 2 if isinstance(e, UsageError) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
