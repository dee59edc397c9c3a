"""A Slurm of four nodes on this machine, from its own programs, where these are installed."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest

PROGRAMS = ("slurmctld", "slurmd", "munged", "sbatch", "scontrol", "srun")
NODES = 4
SBIN = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
CONFIGURATION = """
ClusterName=tested
SlurmctldHost={host}
SlurmctldPort={port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
CryptoType=crypto/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=1,bf_interval=1
KillWait=3
JobRequeue=0
ReturnToService=2
GresTypes=gpu
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SlurmdParameters=config_overrides
NodeName=n[1-4] NodeHostname={host} Port=[{first}-{last}] CPUs=64 Boards=1 SocketsPerBoard=2 \
CoresPerSocket=32 ThreadsPerCore=1 RealMemory=512000 Gres=gpu:h100:4 State=UNKNOWN
PartitionName=gpu Nodes=n[1-4] Default=YES MaxTime=24:00:00 DefaultTime=00:30:00 State=UP \
DefMemPerCPU=4000
"""


class Slurm:
    """Its commands, for a folder with its configuration."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf"), "PATH": SBIN}

    def run(self, *command: str, **options) -> subprocess.CompletedProcess[str]:
        options = {"cwd": self.folder, "env": self.environment, "timeout": 60, **options}
        return subprocess.run(command, capture_output=True, text=True, check=False, **options)

    def script(self, text: str, name: str = "script") -> Path:
        path = self.folder / name
        path.write_bytes(text.encode())
        return path

    def submit(self, text: str, *options: str) -> str:
        """The number of a job that was handed in."""
        path = self.script(text)
        done = self.run("sbatch", "--parsable", *options, str(path))
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def job(self, number: str) -> dict[str, str]:
        """What `scontrol show job` says of it."""
        words = self.run("scontrol", "show", "job", number).stdout.split()
        return dict(one.split("=", 1) for one in words if "=" in one)

    def wait_for(self, number: str, *states: str) -> dict[str, str]:
        """What is said of it when it is in one of these states, and no later than in a minute."""
        until = time.monotonic() + 60
        while time.monotonic() < until:
            said = self.job(number)
            if said.get("JobState") in states:
                return said
            time.sleep(0.2)
        raise AssertionError(f"job {number} is still {said.get('JobState')}: {said}")


@pytest.fixture(scope="session")
def slurm(tmp_path_factory):
    missing = [one for one in PROGRAMS if shutil.which(one, path=SBIN) is None]
    if missing or os.geteuid() != 0:
        pytest.skip("needs root and Slurm: `apt install slurm-wlm munge`")
    folder = tmp_path_factory.mktemp("slurm")
    folder.chmod(0o755)
    _configure(folder)
    found = Slurm(folder)
    daemons: list[subprocess.Popen[bytes]] = []
    try:
        _start(found, daemons)
        yield found
    finally:
        found.run("scancel", "--user", "root", "--full")
        time.sleep(1)
        for one in reversed(daemons):
            one.terminate()
        for one in daemons:
            try:
                one.wait(20)
            except subprocess.TimeoutExpired:
                one.kill()
                one.wait()


def _configure(folder: Path) -> None:
    ports = _free_ports(NODES + 1)
    nodes = _neighbors(NODES)
    text = CONFIGURATION.format(
        host=socket.gethostname().split(".")[0],
        port=ports[0],
        user="root",
        folder=folder,
        first=nodes[0],
        last=nodes[-1],
    )
    (folder / "slurm.conf").write_text(text)
    for name in ("state", "devices", *(f"spool-n{at}" for at in range(1, NODES + 1))):
        (folder / name).mkdir()
    for at in range(4):
        (folder / "devices" / f"gpu{at}").touch()
    gres = f"NodeName=n[1-{NODES}] Name=gpu Type=h100 File={folder}/devices/gpu[0-3]\n"
    (folder / "gres.conf").write_text(gres)
    (folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
    (folder / "munge.key").write_bytes(os.urandom(1024))
    (folder / "munge.key").chmod(0o400)


def _free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def _neighbors(count: int) -> list[int]:
    """Ports beside each other that nobody has."""
    for first in range(26_000, 31_000, 50):
        try:
            for port in range(first, first + count):
                socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            continue
        return list(range(first, first + count))
    raise AssertionError("no free ports")


def _start(slurm: Slurm, daemons: list[subprocess.Popen[bytes]]) -> None:
    folder = slurm.folder
    named = {"key-file": "munge.key", "socket": "munge.socket", "pid-file": "munged.pid"}
    named |= {"log-file": "munged.log", "seed-file": "munged.seed"}
    munge = [f"--{option}={folder / name}" for option, name in named.items()]
    commands = [["munged", "--force", "--foreground", *munge], ["slurmctld", "-D"]]
    commands += [["slurmd", "-D", "-N", f"n{at}"] for at in range(1, NODES + 1)]
    for command in commands:
        program = shutil.which(command[0], path=SBIN)
        with (folder / f"{command[0]}.out").open("ab") as output:
            daemons.append(
                subprocess.Popen(
                    [program, *command[1:]],
                    env=slurm.environment,
                    stdout=output,
                    stderr=output,
                    stdin=subprocess.DEVNULL,
                )
            )
        if command[0] != "slurmd":
            time.sleep(1)
    until = time.monotonic() + 60
    while slurm.run("sinfo", "--noheader", "-o", "%D %t").stdout.split() != [str(NODES), "idle"]:
        if time.monotonic() > until:
            pytest.skip(f"Slurm doesn't start here: {slurm.run('sinfo').stdout}")
        time.sleep(0.3)
