"""The reader of batch scripts, allocations and `srun`'s stand-in, held against Slurm itself."""

from __future__ import annotations

import re

import pytest

from gpuedu.exercises.clusters.slurm.allocation import AllocationError, Node, allocate
from gpuedu.exercises.clusters.slurm.amounts import minutes
from gpuedu.exercises.clusters.slurm.script import ScriptError, read_script

NODE = Node(64, 512_000, 4, "h100", 4_000, 30)
LINES = (
    *("-N 2", "-N2", "--nodes=2", "--nodes 2", "-N=2", "-N 2-3", "-N 3-2", "-N 2-", "-N 1,2"),
    *("--node=2", "--nodez=2", "--nodes", "-N 2 foo", "-N 2 # two", "-n 4", "-n4 -c2", "-c 0"),
    *("-Hn 4", "--requeue", "--requeue=1", "--no-requeue", "--exclusive", "--exclusive=user"),
    *("-t 90", "-t 1:30", "-t 1:30:00", "-t 0-12", "-t 0-12:30", "-t 0-1:2:3", "-t 1:2:3:4"),
    *("-t 90x", "-t 2h", "--tim=10", '--time=""', "--time='1:00'", "-t2:00:00 -n4"),
    *("--mem=10G", "--mem=10g", "--mem=10GB", "--mem=1000K", "--mem=10X", "--mem=1.5G"),
    *("--mem=900G", "--mem=4G --mem-per-cpu=1G", "--mem-per-gpu=1G --gpus=1", "--mem=0"),
    *("--gres=gpu:4", "--gres=gpu", "--gres=gpu:h100:4", "--gres=gpu:h100", "--gres=gpu=4"),
    *("--gres=gpu:a100:4", "--gres=gpu:5", "--gpus=8", "-G 2", "--gpus=h100:2", "--gpus=two"),
    *("--gpus-per-node=4 -N2", "-n 2 --gpus-per-task=1", "--cpus-per-gpu=8 --gpus=2"),
    *(
        "--signal=B:USR1@120",
        "--signal=USR1@120",
        "--signal=SIGUSR1",
        "--signal=usr1@",
        "--signal=10",
    ),
    *("--signal=RB:USR1@60", "--signal=B:FOO@10", "--signal=B:USR1@90000", "--signal=B:USR1@2m"),
    *("-o log-%j", "-o a b", "-o 'a b'", '-J "my job" -N 1', "-J 'a b -N 1", "-J a\\ b"),
    *("--open-mode=append", "--open-mode=a", "--open-mode=truncate", "--open-mode=keep"),
    *("--array=1-4%2", "--mail-user=me", "-c 100", "--ntasks-per-nod=2", "--hold", "-Q", "-y"),
)
TEXTS = (
    *("", "echo hi\n", "#SBATCH -N 1\necho\n", "#!/bin/bash\r\n#SBATCH -N 1\r\necho\r\n"),
    "#!/bin/bash\n#SBATCH -N 1\necho\n#SBATCH --nodez=1\n",
    "#!/bin/bash\n##SBATCH --nodez=1\n# SBATCH --nodez=1\n  #SBATCH --nodez=1\n#SBATCH\necho\n",
    "#!/bin/bash\n\n# words\n\n#SBATCH --nodez=1\necho\n",
    "#!/bin/bash\n#SBATCH--nodez=1\necho\n",
    "#!/bin/bash\n#SBATCH\t-N\t2\necho\n",
    "#!/bin/bash\n#SBATCH -N 1\necho\r\n",
)


def is_taken(text):
    try:
        allocate(read_script(text).options, NODE)
    except (ScriptError, AllocationError):
        return False
    return True


def with_line(line):
    return f"#!/bin/bash\n#SBATCH {line}\nexit 0\n"


@pytest.mark.parametrize("text", [*map(with_line, LINES), *TEXTS])
def test_sbatch_takes_what_the_reader_takes(slurm, text):
    done = slurm.run("sbatch", "--test-only", str(slurm.script(text)))
    said = done.stderr + done.stdout
    really = bool(re.search(r"Job \d+ to start", said)) and "error" not in said
    assert is_taken(text) == really, said


SIZED = (
    "-N 2 --ntasks-per-node=1 --gpus-per-node=4 --cpus-per-task=32 --mem=200G --time=3:45:00",
    "-N 2 -n 8 --ntasks-per-node=4 -c 8 --gres=gpu:h100:4 --mem-per-gpu=45G -t 0-3",
    "-N 2 -n 8 -c 8 -t 90",
    "-n 8 -c 16",
    "-N 3 -t 1-0",
    "--gpus=8 --cpus-per-gpu=8 -N 2",
    "--gpus-per-node=2 -N 2 --mem-per-cpu=1G -c 3",
    "-n 2 --gpus-per-task=2 -t 2:30",
    "-N 2 --exclusive",
    "-N 2 --mem=0",
)


@pytest.mark.parametrize("line", SIZED)
def test_a_job_is_given_what_allocate_says(slurm, line):
    given = allocate(read_script(with_line(line)).options, NODE)
    number = slurm.submit(with_line(line).replace("exit 0", "sleep 30"))
    said = slurm.wait_for(number, "RUNNING")
    tres = dict(one.split("=") for one in re.search(r"(cpu=\S+)", said["TRES"])[1].split(","))
    shown = slurm.run("scontrol", "--details", "show", "job", number).stdout
    slurm.run("scancel", number)
    slurm.wait_for(number, "CANCELLED", "COMPLETED")
    assert said["NumNodes"] == str(given.nodes)
    assert int(tres["cpu"]) == sum(given.cores_on)
    assert minutes(said["TimeLimit"]) == given.minutes
    memory, gpus = [], []
    for names, used, gres in re.findall(r"Nodes=(\S+) .*?Mem=(\d+)(?: GRES=(\S*))?", shown):
        count = (
            1
            if "[" not in names
            else len(slurm.run("scontrol", "show", "hostnames", names).stdout.split())
        )
        memory += [int(used)] * count
        gpus += [int((re.search(r"gpu:h100:(\d+)", gres) or (0, 0))[1])] * count
    assert sorted(memory) == sorted(given.memory_on)
    assert gpus == [given.gpus] * given.nodes


def test_what_comes_before_its_end_is_backfilled_and_a_whole_day_is_not(slurm):
    blocks = slurm.submit(
        with_line("-N 2 --exclusive -t 4:00:00 -J runs").replace("exit 0", "sleep 60")
    )
    slurm.wait_for(blocks, "RUNNING")
    everything = slurm.submit(with_line("-N 4 --exclusive -t 6:00:00"), "--nice=0")
    whole_day = slurm.submit(with_line("-N 2 -t 24:00:00 --nice=100"))
    short = slurm.submit(with_line("-N 2 -t 3:00:00 --nice=200").replace("exit 0", "sleep 60"))
    slurm.wait_for(short, "RUNNING")
    waiting = [slurm.job(one)["JobState"] for one in (everything, whole_day)]
    slurm.run("scancel", blocks, everything, whole_day, short)
    for one in (blocks, short):
        slurm.wait_for(one, "CANCELLED")
    assert waiting == ["PENDING", "PENDING"]


AGENT = """
import os, signal, sys, time
def note(text):
    with open("notes", "a") as file:
        file.write(f"{text}\\n")
def save(*_):
    time.sleep(1)
    note("saved")
    os._exit(1)
signal.signal(signal.SIGUSR1, save)
note(f"started {os.environ['SLURMD_NODENAME']} {' '.join(sys.argv[1:3])}")
time.sleep(60)
"""


def solution():
    from pathlib import Path

    cell = Path(__file__).parents[3] / "solutions" / "38_clusters" / "38_clusters.py"
    return re.search(r'script = r"""(#!/bin/bash\n.*?)"""', cell.read_text("utf-8"), re.S)[1]


def test_the_solution_saves_and_requeues_itself(slurm):
    folder = slurm.folder / "train"
    folder.mkdir()
    (folder / "agent.py").write_text(AGENT)
    (folder / "torchrun").write_text('#!/bin/sh\nexec python3 agent.py "$@"\n')
    (folder / "torchrun").chmod(0o755)
    (folder / "script").write_text(solution())
    environment = {**slurm.environment, "PATH": f"{folder}:{slurm.environment['PATH']}"}
    done = slurm.run("sbatch", "--parsable", "script", cwd=folder, env=environment)
    assert done.returncode == 0, done.stderr
    number = done.stdout.strip()
    slurm.wait_for(number, "RUNNING")
    notes = folder / "notes"
    for _ in range(100):
        if notes.exists() and notes.read_text().count("started") == 2:
            break
        slurm.run("sleep", "0.2")
    slurm.run("scancel", "--batch", "--signal=USR1", number)
    said = slurm.wait_for(number, "PENDING")
    slurm.run("scancel", number)
    lines = notes.read_text().splitlines()
    assert sorted(one.split()[1] for one in lines[:2]) == ["n1", "n2"]
    assert lines[2:] == ["saved", "saved"]
    assert said["Restarts"] == "1" and said["Requeue"] == "1"
