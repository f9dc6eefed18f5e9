#!/bin/sh
# A dataset made by many machines of a Slurm cluster: each task of the array
# makes one shard. From a folder that all of them see, with fmsop in the PATH:
#
#   sbatch --array=1-8 configs/cluster/slurm-array.sh
#
# Then, once every task is done (sacct shows it), the folder that one machine
# would have made, byte for byte:
#
#   fmsop merge shards/shard-* -o data
#
# A task that failed is run again alone: sbatch --array=3 does shard 3. What a
# killed one left (shards/shard-3.tmp-…) is removed before merging.

#SBATCH --job-name=fmsop
#SBATCH --cpus-per-task=8
#SBATCH --mem=4G
#SBATCH --output=fmsop-%a.log

set -eu

SHARDS=${SHARDS:-8}        # as many as --array names in the first run
GROUPS_A_STAGE=${GROUPS_A_STAGE:-100000}
SEED=${SEED:-1}            # and all else: the same in every task

mkdir -p shards
# --force, because a task that Slurm requeues may find its folder done.
fmsop generate -o "shards/shard-$SLURM_ARRAY_TASK_ID" --shard "$SLURM_ARRAY_TASK_ID/$SHARDS" \
  --groups "$GROUPS_A_STAGE" --seed "$SEED" -j "${SLURM_CPUS_PER_TASK:-0}" --force --quiet
