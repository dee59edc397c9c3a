# must lose: one-program
script = r"""#!/bin/bash
#SBATCH --nodes=2 --ntasks-per-node=4
#SBATCH --gpus-per-node=4
#SBATCH --cpus-per-task=8 --mem=200G
#SBATCH --time=3:45:00
#SBATCH --requeue --signal=B:USR1@180
#SBATCH --output=train-%j.log --open-mode=append

go_on() {
    kill -USR1 "$step"
    wait "$step"
    scontrol requeue "$SLURM_JOB_ID"
}
trap go_on USR1

export MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
export MASTER_PORT=29500
srun --gpus-per-task=1 bash -c 'RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID WORLD_SIZE=$SLURM_NTASKS exec python train.py' &
step=$!
wait "$step"
"""
