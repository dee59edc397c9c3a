# A task for each GPU, without torchrun; short options, and the signal goes through scancel.
script = r"""#!/bin/bash
# One process of Python for each GPU.
#SBATCH -N 2 -n 8 --ntasks-per-node=4 -c 8
#SBATCH --gres=gpu:h100:4
#SBATCH --mem-per-gpu 45G
#SBATCH -t 0-3
##SBATCH -t 24:00:00
#SBATCH -J train -o "%x-%j.out"    # my log
#SBATCH --open-mode append
#SBATCH --signal B:USR1@600 --requeue

set -euo pipefail

export MASTER_ADDR=$(hostname) MASTER_PORT=$((20000 + SLURM_JOB_ID % 20000))
warned=0
on_warning() {
    warned=1
    scancel --signal=USR1 "$SLURM_JOB_ID"
}
trap on_warning USR1

srun bash -c 'export RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID WORLD_SIZE=$SLURM_NTASKS
exec python -u train.py --checkpoints /scratch/me' &
step=$!
status=0
wait $step || status=$?
if ((warned)); then
    wait $step || true
    echo "The limit is near: on with it later."
    scontrol requeue $SLURM_JOB_ID
    exit 0
fi
exit $status
"""
