"""What a player may ask the kernel for: a list, and nothing else.

The list is what Python, NumPy, PyTorch, Numba, compilers' drivers and gloo ask for. Everything
else, including what future kernels add, does not exist for a player (ENOSYS), which libraries treat
like an older kernel. Sources: the manual pages of section 2, and for the names of calls
libseccomp's own tables.

``SO_LINGER`` is not on it: whoever closes such a connection last waits, and that may be the judge,
to whom it was sent beside a message.
"""

from __future__ import annotations

import errno
import socket
import tempfile
from functools import cache
from typing import Any

from gpuedu.grading.sandbox.limits import SandboxError

_FILES = """
    access chdir chmod close close_range copy_file_range creat dup dup2 dup3 faccessat faccessat2
    fadvise64 fallocate fchdir fchmod fchmodat fchmodat2 fchown fchownat fdatasync fgetxattr
    flistxattr flock fstat fstatfs fsync ftruncate futimesat getcwd getdents getdents64 getxattr
    inotify_add_watch inotify_init inotify_init1 inotify_rm_watch ioctl lchown lgetxattr link linkat
    listxattr llistxattr lseek lstat mkdir mkdirat mknod mknodat newfstatat open openat openat2 pipe
    pipe2 pread64 preadv preadv2 pwrite64 pwritev pwritev2 read readahead readlink readlinkat readv
    rename renameat renameat2 rmdir sendfile splice stat statfs statx symlink symlinkat
    sync_file_range tee truncate umask unlink unlinkat utime utimensat utimes vmsplice write
    writev chown
"""
_MEMORY = """
    brk get_mempolicy madvise mbind membarrier memfd_create mincore mlock mlock2 mlockall mmap
    mprotect mremap msync munlock munlockall munmap pkey_alloc pkey_free pkey_mprotect
    remap_file_pages set_mempolicy
"""
_PROCESSES = """
    alarm arch_prctl capget execve execveat exit exit_group fork futex futex_wait
    futex_waitv futex_wake getcpu getegid geteuid getgid getgroups getpgid getpgrp getpid getppid
    getpriority getresgid getresuid getrlimit getrusage getsid gettid getuid get_robust_list
    get_thread_area kill pause pidfd_open pidfd_send_signal prctl restart_syscall rseq
    rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend
    rt_sigtimedwait rt_tgsigqueueinfo sched_getaffinity sched_getattr sched_getparam
    sched_get_priority_max sched_get_priority_min sched_getscheduler sched_rr_get_interval
    sched_setaffinity sched_setattr sched_setparam sched_setscheduler sched_yield set_robust_list
    set_thread_area set_tid_address setpgid setpriority setrlimit sigaltstack sysinfo tgkill times
    tkill uname vfork wait4 waitid
"""
_TIMES = """
    clock_getres clock_gettime clock_nanosleep getitimer gettimeofday nanosleep setitimer time
    timer_create timer_delete timer_getoverrun timer_gettime timer_settime timerfd_create
    timerfd_gettime timerfd_settime
"""
_MESSAGES = """
    accept accept4 bind connect epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2
    epoll_wait eventfd eventfd2 getpeername getrandom getsockname getsockopt listen msgctl msgget
    msgrcv msgsnd poll ppoll pselect6 recvfrom recvmmsg recvmsg select semctl semget semop
    semtimedop sendmmsg sendmsg sendto shmat shmctl shmdt shmget shutdown signalfd
    signalfd4 socketpair
"""
_FIRST_OF_LINUX = 1024
_OF_LINUX = (1030, 1032, 1033, 1034)
"""Commands of ``fcntl`` that only Linux has: F_DUPFD_CLOEXEC, F_GETPIPE_SZ, and those of seals.

A lease on a file makes whoever opens it wait, in every sandbox and outside; and the memory of pipes
is one user's, whichever sandbox they are in.
"""
_WHOLE = 0xFFFF_FFFF
_REFUSED = ("setsid",)
"""A session of one's own would be a share of the processors of one's own (see ``fairness``)."""
_NETWORKS = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6)
_ROUTE = 0
"""NETLINK_ROUTE: which interfaces there are, is asked by it."""
_NEW_NAMESPACES = 0x7E02_0080
"""All flags of ``clone`` that make a namespace."""
_JOIN_SESSION_KEYRING = 1
_AS_A_TREE = 2


@cache
def program() -> bytes:
    """The filter, as the kernel loads it.

    Raises:
        SandboxError: libseccomp is not there.
    """
    try:
        import pyseccomp
    except (ImportError, OSError, RuntimeError) as fault:
        raise SandboxError(
            f"no filter for calls of the kernel can be made here: {fault}",
            remedy="`apt install libseccomp2` and `pip install pyseccomp`",
        ) from fault
    made = pyseccomp.SyscallFilter(pyseccomp.ERRNO(errno.ENOSYS))
    made.set_attr(pyseccomp.Attr.CTL_OPTIMIZE, _AS_A_TREE)
    refused, argument = pyseccomp.ERRNO(errno.EPERM), pyseccomp.Arg
    names = " ".join((_FILES, _MEMORY, _PROCESSES, _TIMES, _MESSAGES)).split()
    for name in names:
        if _is_known(pyseccomp, name):
            made.add_rule(pyseccomp.ALLOW, name)
    for name in _REFUSED:
        made.add_rule(refused, name)
    made.add_rule(pyseccomp.ALLOW, "clone", argument(0, pyseccomp.MASKED_EQ, _NEW_NAMESPACES, 0))
    common = _WHOLE ^ (_FIRST_OF_LINUX - 1)
    for mask, command in ((common, 0), *((_WHOLE, one) for one in _OF_LINUX)):
        made.add_rule(pyseccomp.ALLOW, "fcntl", argument(1, pyseccomp.MASKED_EQ, mask, command))
    # Limits of one's own: those of process 1 would be the next player's.
    made.add_rule(pyseccomp.ALLOW, "prlimit64", argument(0, pyseccomp.EQ, 0))
    for network in _NETWORKS:
        made.add_rule(pyseccomp.ALLOW, "socket", argument(0, pyseccomp.EQ, int(network)))
    route = argument(0, pyseccomp.EQ, int(socket.AF_NETLINK)), argument(2, pyseccomp.EQ, _ROUTE)
    made.add_rule(pyseccomp.ALLOW, "socket", *route)
    # All options of sockets but this one; a number is another one if it differs in some bit.
    for place, number in ((1, socket.SOL_SOCKET), (2, socket.SO_LINGER)):
        for bit in (1 << n for n in range(32)):
            differs = argument(place, pyseccomp.MASKED_EQ, bit, ~number & bit)
            made.add_rule(pyseccomp.ALLOW, "setsockopt", differs)
    made.add_rule(pyseccomp.ALLOW, "keyctl", argument(0, pyseccomp.EQ, _JOIN_SESSION_KEYRING))
    with tempfile.TemporaryFile() as file:
        made.export_bpf(file)
        file.seek(0)
        return file.read()


def _is_known(seccomp: Any, name: str) -> bool:
    """Whether this processor's kernel has it; some have no older forms of a call."""
    try:
        return seccomp.resolve_syscall(seccomp.system_arch(), name) >= 0
    except (ValueError, OSError):
        return False
