"""In this folder: python3 prm.py

AdamW, a batch of 256, 12 epochs, bf16 and the learning rate are the paper's. The
longest row has up to 0 characters. The last TRL with this trainer is 1.13
(pip install 'trl<1.14'); Axolotl's stepwise_supervised takes the same rows.
"""
from datasets import load_dataset
from transformers import AutoModelForTokenClassification, AutoTokenizer
from trl.experimental.prm import PRMConfig, PRMTrainer

MODEL = "Qwen/Qwen2.5-7B-Instruct"

config = PRMConfig(
    output_dir="model",
    step_separator="",  # the steps joined are the answer
    learning_rate=1e-4,
    num_train_epochs=12,
    per_device_train_batch_size=4,
    gradient_accumulation_steps=64,  # x 4 = 256 on one GPU; on 8 GPUs 8
    bf16=True,
    max_length=8192,
)
rows = load_dataset("../trl-prm", split="train")
model = AutoModelForTokenClassification.from_pretrained(MODEL, num_labels=2)
PRMTrainer(model, args=config, train_dataset=rows, processing_class=AutoTokenizer.from_pretrained(MODEL)).train()
