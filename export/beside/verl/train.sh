#!/bin/sh
# In this folder: {{.Command}}
#
# reward.py asks fmsop, which has to be on the PATH. Of the paper are the batch,
# the epochs and the 8 GPUs; the rest are verl's own numbers for GRPO.
exec python3 -m verl.trainer.main_ppo \
  algorithm.adv_estimator=grpo \
  data.train_files=train.parquet \
{{- if .Validation}}
  data.val_files=validation.parquet \
{{- else}}
  data.val_files=train.parquet trainer.val_before_train=False trainer.test_freq=-1 \
{{- end}}
  data.train_batch_size=256 \
  data.max_prompt_length=8192 \
  data.max_response_length=2048 \
  data.truncation=error \
  actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct \
  actor_rollout_ref.actor.optim.lr=1e-6 \
  actor_rollout_ref.actor.use_kl_loss=True \
  actor_rollout_ref.actor.use_dynamic_bsz=True \
  actor_rollout_ref.actor.ppo_max_token_len_per_gpu=16384 \
  actor_rollout_ref.rollout.name=vllm \
  actor_rollout_ref.rollout.n=8 \
  reward.custom_reward_function.path=reward.py \
  reward.custom_reward_function.name=compute_score \
  trainer.n_gpus_per_node=8 \
  trainer.total_epochs=12 "$@"
