"""What a player asks the kernel for beside what its work needs, is not there."""

from __future__ import annotations

import errno
import sys

import pytest

from gpuedu.grading.judge.stage import Stage
from gpuedu.grading.sandbox import PlayingLimits, SandboxError, syscalls
from gpuedu.grading.sandbox.availability import require_sandbox
from tests.hostile.answers import RIGHT

seccomp = pytest.importorskip("pyseccomp")
CALLS = {
    "userfaultfd": (1, 0, 0, 0, 0),
    "io_uring_setup": (8, 0, 0, 0, 0),
    "perf_event_open": (0, 0, -1, -1, 0),
    "bpf": (0, 0, 0, 0, 0),
    "mount": (0, 0, 0, 0, 0),
    "fsopen": (0, 0, 0, 0, 0),
    "open_by_handle_at": (0, 0, 0, 0, 0),
    "keyctl": (0, 0, 0, 0, 0),
    "add_key": (0, 0, 0, 0, 0),
    "ptrace": (0, 0, 0, 0, 0),
    "process_vm_readv": (1, 0, 0, 0, 0),
    "pidfd_getfd": (3, 0, 0, 0, 0),
    "unshare": (0, 0, 0, 0, 0),
    "setns": (0, 0, 0, 0, 0),
    "clone": (0x10000000, 0, 0, 0, 0),
    "clone3": (0, 0, 0, 0, 0),
    "setuid": (0, 0, 0, 0, 0),
    "chroot": (0, 0, 0, 0, 0),
    "setsid": (0, 0, 0, 0, 0),
    "prlimit64": (1, 7, 0, 0, 0),
    "sync": (0, 0, 0, 0, 0),
    "syncfs": (0, 0, 0, 0, 0),
}


@pytest.fixture
def learner(zygote):
    with Stage(zygote, PlayingLimits()) as stage:
        yield stage.learner()


def run(player, code):
    request = {"do": "load", "lesson": "welcome", "exercise": "first-check", "limit_s": 9.0}
    request |= {"cells": [["a", RIGHT + code]], "arguments": ["copied_bytes"]}
    return player.ask(request, 30.0)


def test_calls_that_no_exercise_needs_are_refused(learner):
    """Each with arguments that would tell something else of a kernel that takes the call."""
    arch = seccomp.system_arch()
    asked = {name: (seccomp.resolve_syscall(arch, name), given) for name, given in CALLS.items()}
    refused = dict.fromkeys(CALLS, errno.ENOSYS) | {"setsid": errno.EPERM}
    code = f"""
import ctypes
libc, told = ctypes.CDLL(None, use_errno=True), dict()
for name, (number, given) in {asked}.items():
    ctypes.set_errno(0)
    if libc.syscall(number, *given) == 0 and name == "clone":
        libc._exit(0)
    told[name] = ctypes.get_errno()
assert told == {refused}, told
"""
    assert run(learner, code)["problem"] is None


def test_nobody_waits_for_a_connection_that_a_player_has_sent(learner):
    """With this option whoever closes it last does; the kernel looks at 32 bits of a number."""
    number = seccomp.resolve_syscall(seccomp.system_arch(), "setsockopt")
    code = f"""
import ctypes, errno, socket, struct
one, libc = socket.socket(), ctypes.CDLL(None, use_errno=True)
told = struct.pack("ii", 1, 2**31 - 1)
for level in (socket.SOL_SOCKET, socket.SOL_SOCKET | 1 << 40):
    for option in (socket.SO_LINGER, socket.SO_LINGER | 1 << 40):
        given = one.fileno(), ctypes.c_long(level), ctypes.c_long(option), told, len(told)
        assert libc.syscall({number}, *given) == -1, (level, option)
        assert ctypes.get_errno() == errno.ENOSYS
one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
one.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
one.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"reno")  # its number, too, is 13
assert one.getsockopt(socket.SOL_SOCKET, socket.SO_LINGER, 8) == bytes(8)
"""
    assert run(learner, code)["problem"] is None


def test_a_users_keys_are_not_told(learner):
    code = """
from pathlib import Path
for name in ("/proc/keys", "/proc/key-users"):
    told = Path(name).read_text() if Path(name).exists() else "127.0.0.1"
    assert told.startswith("127.0.0.1"), told
"""
    assert run(learner, code)["problem"] is None


def test_nobody_waits_for_a_file_that_a_player_has_opened(learner):
    """A lease does that to whoever opens it; the kernel looks at 32 bits of a command."""
    number = seccomp.resolve_syscall(seccomp.system_arch(), "fcntl")
    code = f"""
import ctypes, errno, fcntl, os
own = os.path.expanduser("~/own")
os.close(os.open(own, os.O_WRONLY | os.O_CREAT))
libc, file = ctypes.CDLL(None, use_errno=True), os.open(own, os.O_RDONLY)
for command in (fcntl.F_SETLEASE, fcntl.F_NOTIFY, fcntl.F_SETPIPE_SZ):
    for more in (0, 1 << 32):
        ctypes.set_errno(0)
        given = ctypes.c_long({number}), ctypes.c_long(file), ctypes.c_long(command | more)
        libc.syscall(*given, ctypes.c_long(fcntl.F_WRLCK))
        assert ctypes.get_errno() == errno.ENOSYS, (command, more)
os.close(os.dup(file))
os.set_inheritable(file, False)
fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, 0)
fcntl.lockf(os.open(own, os.O_RDWR), fcntl.LOCK_EX)
assert fcntl.fcntl(os.pipe()[1], fcntl.F_GETPIPE_SZ) > 0
kept = os.memfd_create("kept", os.MFD_ALLOW_SEALING)
fcntl.fcntl(kept, fcntl.F_ADD_SEALS, fcntl.F_SEAL_GROW)
os.remove(own)
"""
    assert run(learner, code)["problem"] is None


def test_networks_are_those_of_programs_of_one_machine(learner):
    code = """
import socket
for kind in (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6):
    socket.socket(kind, socket.SOCK_STREAM).close()
socket.if_nameindex()
others = [(kind, 0) for kind in (socket.AF_VSOCK, socket.AF_PACKET, socket.AF_ALG, socket.AF_CAN)]
for kind, protocol in (*others, (socket.AF_NETLINK, 9)):
    try:
        socket.socket(kind, socket.SOCK_RAW, protocol)
    except OSError as fault:
        assert fault.errno == 38, fault
    else:
        raise AssertionError(kind)
"""
    assert run(learner, code)["problem"] is None


def test_without_the_library_there_is_no_sandbox(monkeypatch):
    syscalls.program.cache_clear()
    monkeypatch.setitem(sys.modules, "pyseccomp", None)
    with pytest.raises(SandboxError, match="filter") as told:
        require_sandbox()
    assert "pyseccomp" in told.value.remedy
