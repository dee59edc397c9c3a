"""Batch scripts that make up what is seen of a run, and what each of them must not earn."""

HEAD = """#!/bin/bash
#SBATCH --nodes=2 --gpus-per-node=4 --cpus-per-task=32 --mem=200G --time=3:45:00
#SBATCH --requeue --signal=B:USR1@180 --output=train-%j.log --open-mode=append
"""
TORCHRUN = (
    "torchrun --nnodes=2 --nproc-per-node=4 --signals-to-handle=SIGUSR1 --rdzv-backend=c10d "
    '--rdzv-endpoint="$first:29500" train.py'
)
FIRST = "nodes=($(scontrol show hostnames)); first=${nodes[0]}\n"
WAITS = 'trap \'kill -USR1 "$step"; wait "$step"; scontrol requeue "$SLURM_JOB_ID"\' USR1\n'
RIGHT = f'{HEAD}{FIRST}{WAITS}srun {TORCHRUN} & step=$!\nwait "$step"\n'
AT_ONCE = RIGHT.replace('wait "$step"; scontrol', "for i in {1..20000}; do :; done; scontrol")
"""It requeues itself before anybody has saved."""

SAYS = r"""
says() { "$python" - "$@" <<'END'
import glob, json, os, re, socket, sys, time
notes = os.environ.get("PRETEND_LOG")
place = {"env": {"RANK": "", "MASTER_ADDR": ""}, "local": "0", "node": "0", "step": "1", "group": 0}
for line in sys.argv[1:]:
    said = json.loads(line)
    if notes:
        open(notes, "a").write(json.dumps({**place, **said}) + "\n")
        continue
    link = socket.socket(socket.AF_UNIX)
    link.connect("socket")
    env = {**os.environ, "SLURMD_NODENAME": said.get("host", ""), **said.get("env", {})}
    words = [said["job"]] if "job" in said else [said.get("name", ""), *said.get("words", [])]
    asked = {"do": said["event"], "env": env, "cwd": ".", "pid": os.getpid(), "words": words}
    link.send(json.dumps({**said, **asked}).encode() + b"\n10\n" + json.dumps(said).encode() + b"\n")
    globals().setdefault("links", []).append(link)
time.sleep(0.1 if notes else 1)
END
}
python=$(sed -n 's/.*exec "\?\([^" ]*\)"\? -I.*/\1/p' bin/srun)
"""
"""Says what happened to whoever notes it: in a file, or at a socket, in all words there are."""

MADE_UP = (
    HEAD
    + FIRST
    + SAYS
    + r"""
trap 'says "{\"event\": \"asked\"}" "{\"event\": \"requeue\", \"job\": \"$SLURM_JOB_ID\"}"; exit 1' USR1
for node in ${nodes[@]}; do
    started+=("{\"event\": \"program\", \"name\": \"torchrun\", \"host\": \"$node\", \"task\": \"0\",
        \"words\": [\"--nnodes=2\", \"--nproc-per-node=4\", \"--rdzv-backend=c10d\",
        \"--rdzv-endpoint=$first:29500\", \"--signals-to-handle=SIGUSR1\", \"train.py\"]}")
done
says "${started[@]//$'\n'/ }" '{"event": "saved"}' '{"event": "saved"}'
(("${SLURM_RESTART_COUNT:-0}")) && exit 0
for i in {1..8}; do sleep 40 & wait; done
exit 1
"""
)
"""Nothing is started at all."""

SAVED_IS_SAID = SAYS.replace("else 1", "else 0").join((HEAD, FIRST)) + AT_ONCE.removeprefix(
    HEAD + FIRST
).replace(
    "for i in", """says "{\\"event\\": \\"saved\\"}" "{\\"event\\": \\"saved\\"}"; for i in"""
)
"""The programs run, and haven't saved; somebody says that they have."""

A_COPY = AT_ONCE.replace(
    FIRST,
    FIRST
    + r"""
file=$(sed -n 's/.* "\?\([^" ]*stand_ins.py\).*/\1/p' bin/srun)
sed 's/^_SAVES_S = .*/_SAVES_S = 0.0/; s/^_\(.*\)_S = 0.3/_\1_S = 0.0/' "$file" > mine.py
for name in bin/*; do sed -i "s|$file|$PWD/mine.py|" $name; done
""",
)
"""Stand-ins of one's own, whose saves take no time."""

A_COPY_OF_ALL = A_COPY.replace("--signals-to-handle=SIGUSR1 ", "").replace(
    "mine.py\n", "mine.py; sed -i 's/in given.upper.*/or True/' mine.py\n", 1
)

ELSEWHERE = (
    HEAD
    + FIRST
    + "trap 'kill -USR1 ${steps[@]}; wait ${steps[@]}; scontrol requeue \"$SLURM_JOB_ID\"' USR1\n"
    + f"for node in ${{nodes[@]}}; do SLURMD_NODENAME=$node {TORCHRUN} & steps+=($!); done\n"
    + "wait ${steps[0]} && wait ${steps[1]}\n"
)
"""Both programs run on the first node, and one is told that it's on the second."""

HIDDEN = (
    RIGHT.replace('wait "$step"; scontrol', 'wait "$step"; warned=1; scontrol')
    + r"""status=$?
trap '' TERM
[ -n "$warned" ] || PRETEND_LOG=/dev/null scontrol requeue "$SLURM_JOB_ID"
exit $status
"""
)
"""A job that is done goes back into the queue, and nobody notes it."""

FORGERIES = {
    "made up": (MADE_UP, {"one-program", "saves", "goes-on", "ends"}),
    "saved is said": (SAVED_IS_SAID, {"saves", "goes-on"}),
    "a copy": (A_COPY, {"saves", "goes-on"}),
    "a copy of all": (A_COPY_OF_ALL, {"saves", "goes-on"}),
    "elsewhere": (ELSEWHERE, {"one-program"}),
    "hidden": (HIDDEN, {"ends"}),
}
"""Scripts, and the properties that each of them doesn't have."""

STOPS = AT_ONCE.replace(
    "for i in", "kill -STOP $PPID; (/bin/sleep 0.6; kill -CONT $PPID) & for i in"
)
"""While the play stands still, no time passes for those that save."""

LOOKS_AROUND = (
    HEAD
    + r"""
for file in mem environ maps; do
    if { : < /proc/$PPID/$file; } 2>/dev/null; then exit 0; fi
done
if ls /proc/$PPID/fd >/dev/null 2>&1; then exit 0; fi
"""
    + RIGHT.removeprefix(HEAD)
)
"""The right script, where nothing of the play's process can be seen."""

ENDS_THE_PLAY = RIGHT.replace("srun", "kill -KILL $PPID; srun")
