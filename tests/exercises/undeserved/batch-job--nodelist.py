# must lose: accepted
script = r"""#!/bin/bash
#SBATCH --nodes=2
#SBATCH --gpus-per-node=4
#SBATCH --cpus-per-task=32 --mem=200G
#SBATCH --time=3:45:00
#SBATCH --nodelist=gpu91,gpu92
#SBATCH --requeue --signal=B:USR1@180
#SBATCH --output=train-%j.log --open-mode=append

go_on() {
    kill -USR1 "$step"
    wait "$step"
    scontrol requeue "$SLURM_JOB_ID"
}
trap go_on USR1

first=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
srun torchrun --nnodes=2 --nproc-per-node=4 --signals-to-handle=SIGUSR1 \
    --rdzv-backend=c10d --rdzv-endpoint="$first:29500" train.py &
step=$!
wait "$step"
"""
