"""Linux's calls that confine a process: namespaces, mounts, capabilities, limits."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import platform
import resource
import signal
import socket
import struct
import sys
from pathlib import Path

_NEW_USER, _NEW_MOUNTS, _NEW_PROCESSES, _NEW_IPC = 0x10000000, 0x20000, 0x20000000, 0x08000000
_NEW_NETWORK = 0x40000000
_SET_INTERFACE_FLAGS, _IS_UP = 0x8914, 0x1
_SOCKETS, _SOCKETS_6 = Path("/proc/net/sockstat"), Path("/proc/net/sockstat6")
_OPEN = {("TCP:", "inuse"), ("TCP:", "tw"), ("TCP6:", "inuse")}
"""Counts of this network: of ports that are held, and of connections that wait for their end."""
_NO_SETUID, _NO_DEVICES, _NO_PROGRAMS, _READ_ONLY, _BIND = 2, 4, 8, 1, 4096
_OF_A_USER = ("/proc/keys", "/proc/key-users")
_SET_DEATH_SIGNAL, _SET_DUMPABLE, _DROP_BOUND, _NO_NEW_PRIVILEGES = 1, 4, 24, 38
_SET_FILTER, _MODE_FILTER = 22, 2
_KEYCTL = {"x86_64": 250, "aarch64": 219}
_JOIN_SESSION_KEYRING = 1
_FIRST_TO_GO = "1000"
"""Where memory ends, the kernel kills no judge before a room's processes."""
_SHARED_MEMORY_INFO, _QUEUES_INFO, _SEMAPHORES_INFO, _SEMAPHORE_SETS = 14, 12, 19, 7
"""Commands of shmctl, msgctl and semctl that count what is used: first, and for sets the eighth."""
_CAPABILITY_VERSION_3 = 0x20080522


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _require(status: int, what: str) -> None:
    if status:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def die_with_parent() -> None:
    """Be killed when the parent ends, however it ends; only on Linux."""
    if sys.platform != "linux":
        return
    _require(_libc().prctl(_SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0), "death signal")


def become(user: int) -> None:
    """Become another user for good, alone in a group of that number and with no capabilities."""
    _drop_bounds()
    os.setgroups(())
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    drop_privileges()


def hide_memory() -> None:
    """Keep the user's other processes out of this one's memory, environment and files; on Linux."""
    _set_dumpable(0)


def _set_dumpable(value: int) -> None:
    if sys.platform == "linux":
        _require(_libc().prctl(_SET_DUMPABLE, value, 0, 0, 0), "dumpable")


def enter_own_namespaces() -> None:
    """Get new namespaces: user, mounts, processes, messages, and an empty network.

    The caller has one thread and keeps its user number. Its first child is process 1.
    """
    user, group = os.getuid(), os.getgid()
    flags = _NEW_USER | _NEW_MOUNTS | _NEW_PROCESSES | _NEW_IPC | _NEW_NETWORK
    _require(_libc().unshare(flags), "unshare")
    _set_dumpable(1)  # while memory is hidden, these files are root's, and only root can write them
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    Path("/proc/self/oom_score_adj").write_text(_FIRST_TO_GO)
    hide_memory()
    _start_loopback()


def _start_loopback() -> None:
    """Let ``localhost`` be reached: in a new network it is there, and down."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        fcntl.ioctl(asking, _SET_INTERFACE_FLAGS, struct.pack("16sh14x", b"lo", _IS_UP))


def has_connections() -> bool:
    """True if ports are taken in this network by leftovers of a process that is gone.

    The kernel's tables of connections say it, too, but for each read it goes through those of the
    whole machine.
    """
    text = _SOCKETS.read_text()
    with contextlib.suppress(FileNotFoundError):  # a kernel without IPv6
        text += _SOCKETS_6.read_text()
    for kind, *counts in map(str.split, text.splitlines()):
        pairs = zip(counts[::2], counts[1::2], strict=True)
        if any((kind, name) in _OPEN and int(count) for name, count in pairs):
            return True
    return False


def enter_own_keyring() -> None:
    """Get a new session keyring, with nothing from the session before."""
    number = _KEYCTL.get(platform.machine())
    if number is not None:  # else there is none: other machines' calls have other numbers
        _libc().syscall(number, _JOIN_SESSION_KEYRING, None)


def has_ipc_objects() -> bool:
    """True if shared memory, semaphores or queues of System V are left in this namespace."""
    libc, info = _libc(), (ctypes.c_int * 64)()
    asked = (
        libc.shmctl(0, _SHARED_MEMORY_INFO, info) >= 0 and info[0] > 0,
        libc.msgctl(0, _QUEUES_INFO, info) >= 0 and info[0] > 0,
        libc.semctl(0, 0, _SEMAPHORES_INFO, info) >= 0 and info[_SEMAPHORE_SETS] > 0,
    )
    return any(asked)


def mount_memory(folder: str, size_bytes: int) -> None:
    """Put an empty folder in memory over another."""
    flags = _NO_SETUID | _NO_DEVICES
    _mount("tmpfs", folder, flags, f"size={size_bytes},mode=0700,nr_inodes=20000")


def mount_processes() -> None:
    """Put a /proc over the old one that shows only this namespace; if refused, an empty one.

    Nothing in it can be written to, neither the kernel's settings nor anything of a process. Keys
    are a user's, whatever the namespace: they are covered by a file that is the same for all.
    """
    try:
        _mount("proc", "/proc", _NO_SETUID | _NO_DEVICES | _NO_PROGRAMS | _READ_ONLY, "")
    except PermissionError:
        _mount("tmpfs", "/proc", _NO_SETUID | _NO_DEVICES | _READ_ONLY, "size=0")
    for name in _OF_A_USER:
        if Path(name).exists():
            status = _libc().mount(b"/etc/hosts", name.encode(), None, _BIND, None)
            _require(status, f"cover {name}")


def _mount(kind: str, folder: str, flags: int, options: str) -> None:
    name = kind.encode()
    _require(_libc().mount(name, folder.encode(), name, flags, options.encode()), f"mount {folder}")


def forbid_namespaces() -> None:
    """Let no process in this user namespace make another."""
    with contextlib.suppress(OSError):  # a kernel without this setting
        Path("/proc/sys/user/max_user_namespaces").write_text("0")


def drop_privileges() -> None:
    """Give up every capability, for good."""
    _drop_bounds()
    libc = _libc()
    _require(libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0), "no new privileges")
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    _require(libc.capset(header, (ctypes.c_uint32 * 6)()), "capset")


def load_filter(program: bytes) -> None:
    """Let a filter decide about all system calls, for good; privileges are dropped first.

    Args:
        program: the kernel's instructions, 8 bytes each.
    """

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))

    loaded = Program(len(program) // 8, program)
    status = _libc().prctl(_SET_FILTER, _MODE_FILTER, ctypes.byref(loaded), 0, 0)
    _require(status, "filter of calls")


def _drop_bounds() -> None:
    """Let no program give a capability; nothing happens where the caller may not say so."""
    libc = _libc()
    for capability in range(64):
        if libc.prctl(_DROP_BOUND, capability, 0, 0, 0):
            break


def set_limits(open_files: int, file_bytes: int) -> None:
    """Limits that each process has for itself."""
    for what, most in (
        (resource.RLIMIT_NOFILE, open_files),
        (resource.RLIMIT_FSIZE, file_bytes),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
    ):
        resource.setrlimit(what, (most, most))
