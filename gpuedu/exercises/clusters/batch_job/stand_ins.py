"""What a batch script calls, in place of Slurm and of the program: run as a file, by each name.

``python stand_ins.py SOCKET srun ...`` asks whoever listens at the socket (``controller.py``) for
what the command does, tells which signals come, and ends as it is told to. So do `torchrun`,
`python train.py`, `scancel`, `sbatch` and `scontrol requeue`. `hostname`, `sleep` and `scontrol
show` need nobody. A second of the job is 10 ms here.

None of this is believed: a script that says the same to the socket, by other means, has called the
same command. A script calls these again and again, so they import little.
"""

import errno
import json
import os
import re
import signal
import socket
import sys
import time
from contextlib import suppress

_SECOND_S = 0.01
_LONGEST_SLEEP_S = 0.4
_LONGEST_WAIT_S = 5.0
_TOLD = {signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM}
_TOLD_BY_SRUN = _TOLD | {signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGINT}


def ask(do, words, signals=(), streams=()):
    """Ask for what a command does, tell of signals meanwhile, and end as the reply says."""
    signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    with suppress(OSError):
        link = socket.socket(socket.AF_UNIX)
        link.connect(sys.argv[1])
        asked = {"do": do, "words": words, "env": dict(os.environ), "pid": os.getpid()}
        here = os.getcwd()  # noqa: PTH109 - pathlib takes a while to import
        _send(link, json.dumps({**asked, "cwd": here}) + "\n", streams)
        for number in signals:
            signal.signal(number, lambda number, _: _send(link, json.dumps(number) + "\n"))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)
        reply = json.loads(link.makefile("rb").readline() or b'{"status": 1}')
        print(reply.get("says", ""), end="", file=sys.stderr, flush=True)
        if "signal" in reply:
            signal.signal(reply["signal"], signal.SIG_DFL)
            os.kill(os.getpid(), reply["signal"])
        os._exit(reply["status"])
    print(f"{sys.argv[2]}: error: Unable to contact slurm controller", file=sys.stderr)
    return 1


def _send(link, line, streams=()):
    """Send a line, with files where a command's own streams are needed."""
    data = line.encode("utf-8", "surrogateescape")
    with suppress(BrokenPipeError, ConnectionResetError):
        link.sendall(data[_send_with(link, data, list(streams)) :])


def _send_with(link, data, streams):
    """Send as much as goes with the streams; somebody else may have too many files on their way."""
    until = time.monotonic() + _LONGEST_WAIT_S
    while streams:
        try:
            return socket.send_fds(link, [data], streams)
        except OSError as fault:
            if fault.errno != errno.ETOOMANYREFS or time.monotonic() > until:
                raise
        time.sleep(_SECOND_S)
    return 0


def run_srun(words):
    """Tasks have the streams of `srun`; whatever signal comes, it says so."""
    for stream in range(3):
        try:
            os.fstat(stream)
        except OSError:  # the script has closed it
            os.dup2(os.open(os.devnull, os.O_RDWR), stream)
    return ask("srun", words, _TOLD_BY_SRUN, (0, 1, 2))


def run_program(words):
    """`torchrun`, or the training program itself; any other program of Python is run."""
    is_torchrun = words[0] == "torchrun" or words[1:3] == ["-m", "torch.distributed.run"]
    if not (is_torchrun or any(one.rpartition("/")[2] == "train.py" for one in words[1:])):
        os.execv(sys.executable, [sys.executable, *words[1:]])
    return ask("program", words, {signal.SIGUSR1})


def run_scontrol(words):
    """`show hostnames`, and what is asked for."""
    words = [one for one in words if not one.startswith("-")]
    verb, rest = (words or [""])[0], words[1:]
    if verb == "requeue" and rest:
        return ask("requeue", rest)
    if verb == "show" and rest and rest[0].startswith("hostname"):
        given = rest[1] if len(rest) > 1 else os.environ.get("SLURM_JOB_NODELIST", "")
        known = given in (os.environ.get("PRETEND_LIST", ""), "")
        print("\n".join(_nodes() if known else given.split(",")))
        return 0
    if verb != "show":
        print(f"scontrol: error: invalid use of {verb!r}", file=sys.stderr)
    return 0 if verb == "show" else 1


def _nodes():
    return os.environ.get("PRETEND_NODES", "").split(",")


def run_hostname(words):
    """The name or the address of a node."""
    name, nodes = os.environ.get("SLURMD_NODENAME", ""), _nodes()
    wants_address = any(one in ("-i", "-I", "--ip-address", "--all-ip-addresses") for one in words)
    address = f"10.0.0.{1 + nodes.index(name)}" if name in nodes else "127.0.0.1"
    print(address if wants_address else name)
    return 0


def run_sleep(words):
    """A hundredth of the time."""
    units = {"s": 1, "m": 60, "h": 3600, "d": 86400}
    total = 0.0
    for word in words:
        found = re.fullmatch(r"(\d+\.?\d*|\.\d+)([smhd]?)", word)
        total += float(found[1]) * units[found[2] or "s"] if found else float("inf")
    time.sleep(min(total * _SECOND_S, _LONGEST_SLEEP_S))
    return 0


def _run(name, words):
    """Do what the command of this name does."""
    if name in ("torchrun", "python", "python3"):
        return run_program([name, *words])
    if name in ("sbatch", "scancel"):
        return ask(name, words)
    alone = {"srun": run_srun, "scontrol": run_scontrol, "hostname": run_hostname}
    return {**alone, "sleep": run_sleep}[name](words)


NAMES = (
    *("srun", "scontrol", "scancel", "sbatch"),
    *("torchrun", "python", "python3", "hostname", "sleep"),
)

if __name__ == "__main__":
    sys.exit(_run(sys.argv[2], sys.argv[3:]))
