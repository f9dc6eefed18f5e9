#!/bin/sh
# In this folder: {{.Command}}
#
# The loss is the paper's (Eq. 7), and so are its temperature, AdamW, the batch of
# 256, 12 epochs, the learning rate and bf16. The longest row has up to {{.Longest}}
# characters.
export LISTWISE_RERANKER_TEMPERATURE=1.0 MAX_NEGATIVE_SAMPLES={{.MostWrong}}
exec swift sft \
  --model Qwen/Qwen2.5-7B-Instruct \
  --task_type generative_reranker \
  --loss_type listwise_reranker \
  --dataset {{.Train}}{{if .Validation}} \
  --val_dataset {{.Validation}}{{end}} \
  --tuner_type full \
  --optim adamw_torch \
  --learning_rate 1e-4 \
  --num_train_epochs 12 \
  --per_device_train_batch_size 1 \
  --gradient_accumulation_steps 256 \
  --torch_dtype bfloat16 \
  --max_length 8192 \
  --output_dir model \
  --label_names labels \
  --dataloader_drop_last true "$@"
