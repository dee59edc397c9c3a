"""batch-job: what a script does when it runs, and what its picture and its cards say."""

from __future__ import annotations

import re
import tempfile
import time
from pathlib import Path

import pytest

from gpuedu.errors import AnswerError
from gpuedu.exercises.clusters.batch_job.cluster_here import NODE
from gpuedu.exercises.clusters.batch_job.picture import PICTURE
from gpuedu.exercises.clusters.batch_job.play import PLAY
from gpuedu.exercises.clusters.slurm.allocation import AllocationError, allocate
from gpuedu.exercises.clusters.slurm.script import ScriptError, read_script
from gpuedu.exercises.examine import examine
from gpuedu.exercises.registry import load
from gpuedu.figures import style
from tests.figures.legibility import assert_fit_to_print

HEAD = (
    "#!/bin/bash\n#SBATCH -N 2 --gpus-per-node=4 -c 32 --mem=180G --time=2:00:00\n"
    "#SBATCH --signal=B:USR1@90 --open-mode=append --requeue\n"
)
TORCHRUN = "torchrun --nnodes=2 --nproc-per-node=4 --signals-to-handle=SIGUSR1 train.py"


def run(body, ends="warned", head=HEAD):
    inputs = {"job": 4711, "numbers": [9, 3, 4, 5, 6, 7], "ends": ends, "status": 7}
    return PLAY.run([head + body], inputs)["run"]


def test_tasks_know_their_places():
    found = run("srun -n 8 bash -c 'RANK=$SLURM_PROCID exec python train.py'", "done")
    places = [(one["env"]["RANK"], one["host"], one["local"]) for one in found["programs"]]
    assert sorted(places) == [(str(at), f"gpu0{(3, 9)[at // 4]}", str(at % 4)) for at in range(8)]
    assert (found["ended"], found["status"], found["requeues"]) == ("exit", 0, [])


def test_a_foreground_program_keeps_the_trap_waiting():
    found = run(f"trap 'kill -USR1 0' USR1\nsrun {TORCHRUN}\n")
    assert (found["is_warned"], found["saved"], found["ended"]) == (True, 0, "limit")


def test_what_runs_when_the_script_ends_is_left():
    found = run(f"trap 'kill -USR1 $step' USR1\nsrun {TORCHRUN} & step=$!\nwait $step\n")
    assert (found["saved"], found["left"], found["status"]) == (0, True, 138)


def test_srun_passes_usr1_on_and_kills_at_term():
    body = f"trap 'kill -{{}} $step; wait $step; echo $?' USR1\nsrun {TORCHRUN} & step=$!\nwait $step\n"
    assert run(body.replace("{}", "USR1"))["saved"] == 2
    killed = run(body.replace("{}", "TERM"))
    assert killed["saved"] == 0 and killed["errors"] == ["137"]


def test_a_requeue_ends_what_runs_and_is_refused_without_the_option():
    body = f"trap 'kill -USR1 $p; scontrol requeue $SLURM_JOB_ID; wait $p' USR1\nsrun {TORCHRUN} & p=$!\nwait $p\n"
    early = run(body)
    assert early["requeues"] == [{"job": "4711", "saved": 0}]
    assert (early["ended"], early["status"]) == ("killed", 15)
    refused = run(body, head=HEAD.replace(" --requeue", ""))
    assert "presently disabled" in refused["errors"][0] and refused["ended"] == "exit"


def test_nothing_of_a_script_is_left():
    run(
        "sleep infinity & srun sleep infinity & set -m; srun bash -c 'sleep infinity; sleep 1' &\nwait\n"
    )
    until = time.monotonic() + 20
    while _left_over():  # a process that was killed goes a little later
        assert time.monotonic() < until, _left_over()
        time.sleep(0.02)


_PLACE = f"{tempfile.gettempdir()}/batch-job-"


def _left_over():
    """Stand-ins of a run that is over: its folder is gone."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = file.read_bytes().split(b"\0")
        except OSError:
            continue
        sockets = [Path(one.decode()) for one in words if one.endswith(b"/socket")]
        found += [one for one in sockets if str(one).startswith(_PLACE) and not one.exists()]
    return found


def test_saves_before_the_warning_do_not_count():
    found = run(
        f"trap 'scontrol requeue $SLURM_JOB_ID' USR1\nsrun {TORCHRUN} & p=$!\nsleep 20\nkill -USR1 $p\nwait $p\nsrun {TORCHRUN} & wait\n"
    )
    assert found["requeues"] == [{"job": "4711", "saved": 0}]


def test_a_script_that_computes_while_it_waits_sees_its_programs_save():
    body = "trap 'kill -USR1 $p; while kill -0 $p 2>/dev/null; do :; done; scontrol requeue $SLURM_JOB_ID' USR1\n"
    found = run(body + f"srun {TORCHRUN} & p=$!\nwait $p\n")
    assert found["requeues"] == [{"job": "4711", "saved": 2}]


def test_a_program_is_where_srun_has_started_it_whatever_it_is_told():
    body = "srun bash -c 'SLURMD_NODENAME=gpu03 SLURM_PROCID=0 torchrun train.py; :'\ntorchrun train.py\n"
    found = run(f"(SLURMD_NODENAME=gpu09 torchrun train.py)\n{body}", "done")
    assert [(one["host"], one["task"]) for one in found["programs"]] == [
        *[("gpu03", "0")] * 3,
        ("gpu09", "1"),
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "line 1: the script is empty"),
        ("srun x\n", "line 1: a batch script starts with"),
        ("#!/bin/bash\n#SBATCH -N 2\r\nsrun x\n", "line 2: it ends as lines end on Windows"),
        ("#!/bin/bash\n#SBATCH --nodez=2\n", "line 2: there is no option `--nodez`"),
        ("#!/bin/bash\n\n#SBATCH -t 2h\n", "line 3: `-t` can't be `2h`: a time is"),
        ("#!/bin/bash\n#SBATCH --mem=1G\n#SBATCH --mem-per-cpu=1G\n", "line 3: `--mem` and"),
        *(
            (f"#!/bin/bash\n#SBATCH --{one}\n", "line 2: `--")
            for one in (
                f"mem={'9' * 400}G",
                "nodes=1-3000000000",
                "ntasks=1234567890",
                "gpus=h:9999999999",
            )
        ),
        (
            f"#!/bin/bash\n#SBATCH -n {'1' * 5000}\n",
            f"line 2: `-n` can't be `{'1' * 60}`: a number has",
        ),
    ],
)
def test_a_script_that_sbatch_refuses_is_told_with_its_line(text, says):
    with pytest.raises(ScriptError, match=f"^{re.escape(says)}"):
        read_script(text)


def test_many_nodes_are_refused_and_tasks_on_them_are_counted_at_once():
    with pytest.raises(AllocationError, match="it asks for 300,000 nodes"):
        allocate({"nodes": (300_000, 300_000)}, NODE)
    given = allocate({"nodes": (90_000, 90_000), "ntasks": 90_001, "mem": 1}, NODE)
    assert (given.tasks_on[:2], given.nodes, given.tasks) == ((2, 1), 90_000, 90_001)


def test_lines_after_the_first_command_are_told():
    late = HEAD.replace("#SBATCH -N", "set -e\n#SBATCH -N")
    report = examine(load("batch-job"), [late + f"srun {TORCHRUN}\n"], 3)
    (accepted,) = (one for one in report.results if one.property.name == "accepted")
    assert "line 3: the first command is in line 2" in accepted.fault.message


def test_the_picture_says_when_the_job_starts():
    ax = PICTURE(HEAD + "srun x\n")
    assert_fit_to_print(ax)
    alt = style.alt_text(ax)
    assert "Limit 2 h: your job starts at once" in alt
    assert "Limit 24 h: your job starts after 10 h, done after 19.1 h" in alt


def test_the_picture_of_a_script_that_is_refused():
    with pytest.raises(AnswerError, match="`sbatch` refuses the script: line 2"):
        PICTURE("#!/bin/bash\n#SBATCH --nodez=2\n")


def _told(body, name="one-program", head=HEAD):
    report = examine(load("batch-job"), [head + body], 3)
    fault = next(one.fault for one in report.results if one.property.name == name)
    return fault.message if fault else ""


def test_a_program_ends_with_its_status():
    rank = "srun -n 8 bash -c 'RANK=$SLURM_PROCID exec python train.py'"
    assert run(rank, "failed")["status"] == 7
    assert run(f"srun {TORCHRUN}", "failed")["status"] == 1


@pytest.mark.parametrize(
    ("srun", "torchrun", "told"),
    [
        ("--no-such=1", "", "option `no-such`"),
        ("--test-only", "", "option `test-only`"),
        ("-x gpu01,$SLURMD_NODENAME", "", "doesn't fit the job's nodes"),
        ("--gpus-per-t=1", "", "leaves the program 1 GPUs for each task"),
        ("--gpu-bind=single:1", "", "lets a task see one GPU"),
        ("--gpus-per-node=h100:4 --mem=0 -c 32 -l -D .", "--max-restarts=1", ""),
        ("", "--rdzv_end=$h:65536", "at port `65536`"),
        ("", "-t 3 --rdzv-endp $h", ""),
    ],
)
def test_what_is_given_to_srun_and_torchrun(srun, torchrun, told):
    words = TORCHRUN.replace("train.py", f"--rdzv-backend=c10d {torchrun} train.py")
    if "rdzv-end" not in torchrun.replace("_", "-"):
        words = words.replace("train.py", "--rdzv-endpoint=$h:29500 train.py")
    found = _told(f"h=$(hostname)\nsrun {srun} {words} & p=$!\nwait $p\n")
    assert told in found if told else not found
