# Each node's torchrun by its rank, without a rendezvous; the function requeues, and what follows knows.
script = r"""#!/usr/bin/env bash
#SBATCH --nodes=2-2 --gpus-per-node=h100:4
#SBATCH --ntasks-per-node=1 --cpus-per-task=48 --mem=250000
#SBATCH --time=03:59:59 --requeue --no-kill
#SBATCH --output=./%j.log --error=./%j.err --open-mode=append
#SBATCH --signal=B:SIGUSR1@300
save_and_requeue () {
    echo "$(date): the limit is near" >&2
    kill -s USR1 "$srun_pid"
    while kill -0 "$srun_pid" 2>/dev/null; do sleep 1; done
    scontrol requeue "$SLURM_JOB_ID"
}
trap save_and_requeue SIGUSR1
export MASTER_ADDR=$(scontrol show hostnames | head -1)
srun --label bash -c "exec python -m torch.distributed.run --nnodes=$SLURM_NNODES \
    --node-rank=\$SLURM_NODEID --nproc-per-node=4 --master-addr=$MASTER_ADDR \
    --master-port=29501 --signals-to-handle SIGUSR1 train.py" &
srun_pid=$!
wait $srun_pid
exit $?
"""
