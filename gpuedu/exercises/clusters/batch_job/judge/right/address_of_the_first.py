# The first node's address by a step of its own, TERM as the warning, and no function.
script = r"""#!/bin/bash
#SBATCH --partition=gpu --job-name="my training"
#SBATCH --nodes=2 --ntasks=2 --ntasks-per-node=1
#SBATCH --gpus=8 --cpus-per-gpu=8
#SBATCH --mem=180G --time=240
#SBATCH --open-mode=append --requeue
#SBATCH --signal=B:TERM@60

nodes=( $(scontrol show hostnames $SLURM_JOB_NODELIST) )
head_node=${nodes[0]}
head_ip=$(srun --nodes=1 --ntasks=1 -w "$head_node" hostname --ip-address)
export TORCHELASTIC_SIGNALS_TO_HANDLE=SIGTERM,SIGUSR1
trap 'trap "" TERM; kill -USR1 $pid; wait $pid; scontrol requeue $SLURM_JOB_ID; exit 1' TERM
srun --kill-on-bad-exit=1 --cpus-per-task=32 torchrun \
    --nnodes $SLURM_JOB_NUM_NODES --nproc_per_node gpu \
    --rdzv_id $RANDOM --rdzv_backend c10d --rdzv_endpoint $head_ip:29500 \
    train.py --epochs 90 & pid=$!
wait $pid
"""
