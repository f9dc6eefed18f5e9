"""What a run leaves to be served: model, a folder as Hugging Face writes it, and adapter."""

import os
import shutil
from pathlib import Path

from peft import PeftModel
from transformers import AutoModelForCausalLM

from . import modelfile
from .recipe import Recipe


def save(accelerator, model, tokenizer, base: Path, out: Path, recipe: Recipe) -> None:
    """Writes out/model and, where one was trained, out/adapter."""
    state = accelerator.get_state_dict(model)
    if not accelerator.is_main_process:
        return
    trained = accelerator.unwrap_model(model)
    with _whole(out / "model") as folder:
        if recipe.method == "full":
            whole = _base(base)
            whole.load_state_dict(state)
        else:
            with _whole(out / "adapter") as adapter:
                trained.save_pretrained(adapter, state_dict=state)
                tokenizer.save_pretrained(adapter)
                modelfile.write_adapter(adapter, base, tokenizer, recipe.max_tokens)
            whole = PeftModel.from_pretrained(_base(base), out / "adapter").merge_and_unload()
        whole.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        modelfile.write(folder, base, tokenizer, recipe.max_tokens)


def _base(base: Path):
    """The model as it lies on disk, in its type, not as it was loaded for training."""
    return AutoModelForCausalLM.from_pretrained(base, local_files_only=True, dtype="auto")


class _whole:
    """A folder that appears under its name when it is whole."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.part = folder.with_name(folder.name + ".part")

    def __enter__(self) -> Path:
        shutil.rmtree(self.part, ignore_errors=True)
        self.part.mkdir(parents=True)
        return self.part

    def __exit__(self, kind, *_) -> None:
        if kind is None:
            shutil.rmtree(self.folder, ignore_errors=True)
            os.replace(self.part, self.folder)
