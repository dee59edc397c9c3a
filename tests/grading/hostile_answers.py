"""Answer cells of learners who cheat, break things, or use up what there is.

Each is a name, the cell, and whether what it defines is right after all: then it has its points,
since nothing that it tried changed anything.
"""

RIGHT = "def copied_bytes(n, itemsize):\n    return 2 * n * itemsize\n"

ENDLESS = {
    "loop": "while True:\n    pass",
    "loop that swallows": "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
    "signals blocked": (
        "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 60))\nwhile True: pass"
    ),
    "sleep": "import time\ntime.sleep(1e6)",
    "compiled loop": "sum(range(10**18))",
    "fork bomb": "import os\nwhile True:\n    os.fork()",
    "thread bomb": "import threading, time\nwhile True: threading.Thread(target=time.sleep, args=(99,)).start()",
    "endless print": "while True: print('x' * 1000)",
}
"""Nothing is played: the cells did not finish, or were stopped."""

BROKEN = {
    "flood": "import os\nwhile True: os.write(1, b'x' * 65536)",
    "memory bomb": "x = [bytearray(2**26) for _ in range(10**5)]",
    "memory by pages": "import mmap\nm = mmap.mmap(-1, 2**40)\nfor i in range(2**28): m[i * 4096] = 1",
    "disk filled": "f = open('/tmp/x', 'wb')\nwhile True: f.write(bytes(2**20))",
    "disk of many files": "for i in range(10**6): open(f'/tmp/{i}', 'w').close()",
    "open files": "import os\nkept = []\nwhile True: kept.append(os.open('/dev/null', 0))",
    "segfault": "import ctypes\nctypes.string_at(0)",
    "recursion": "def f(): return f()\nf()",
    "leaves": "import os\nos._exit(0)",
    "leaves politely": "import sys\nsys.exit(0)",
    "syntax error": "def copied_bytes(n, itemsize:\n",
    "magic": "!pip install answer",
    "input": "n = input()",
    "message of rubbish": "import os\nos.write(3, b'x' * 10_000)",
    "message of nothing": "import os\nos.close(3)",
    "network": "import socket\nsocket.create_connection(('192.0.2.1', 80), timeout=2)",
    "loopback": "import socket\nsocket.create_connection(('127.0.0.1', 22), timeout=2)",
    "kills all": "import os, signal\nos.kill(-1, signal.SIGKILL)",
    "not there": "del copied_bytes",
    "null byte": "x = '\\x00'\n\x00",
}
"""Refused, with a reason."""

WRONG = {
    "always equal": "class E(float):\n    __eq__ = lambda s, o: True\n    __hash__ = None\ndef copied_bytes(n, itemsize): return E(1)",
    "nan": "def copied_bytes(n, itemsize): return float('nan')",
    "infinite": "def copied_bytes(n, itemsize): return float('inf')",
    "true": "def copied_bytes(n, itemsize): return True",
    "an array that lies": (
        "import numpy\nclass A(numpy.ndarray):\n    def __eq__(s, o): return True\n"
        "def copied_bytes(n, itemsize): return numpy.zeros(()).view(A)"
    ),
    "patched numpy": "import numpy\nnumpy.allclose = numpy.array_equal = lambda *a, **k: True\ndef copied_bytes(n, itemsize): return 1",
    "patched builtins": "import builtins\nbuiltins.abs = lambda x: 0\nbuiltins.isinstance = lambda *a: True\ndef copied_bytes(n, itemsize): return 1",
    "patched json": "import json\njson.dumps = lambda *a, **k: '{}'\ndef copied_bytes(n, itemsize): return 1",
    "fake checker": "import sys, types\nsys.modules['gpuedu.exercises.examine'] = types.ModuleType('x')\ndef copied_bytes(n, itemsize): return 1",
    "says it is right": (
        "import gpuedu.grading.player.serving as s\n"
        "s._reply = lambda o: {'observed': {'solved': True, 'points': 100.0}, 'problem': None, 'printed': ''}\n"
        "def copied_bytes(n, itemsize): return 1"
    ),
    "huge result": "def copied_bytes(n, itemsize): return 10 ** 5000",
    "visible cases by heart": "def copied_bytes(n, itemsize): return {(1, 1): 2}.get((n, itemsize), 0)",
    "raises at the second call": (
        "calls = []\ndef copied_bytes(n, itemsize):\n    calls.append(1)\n"
        "    if len(calls) > 1: raise SystemExit\n    return 2 * n * itemsize"
    ),
    "ends in the check": "import os\ndef copied_bytes(n, itemsize): os._exit(0)",
    "hangs in the check": "def copied_bytes(n, itemsize):\n    while True: pass",
    "stops the clock": "import signal\ndef copied_bytes(n, itemsize):\n    signal.setitimer(signal.ITIMER_REAL, 0)\n    while True: pass",
    "reads what it is compared with": (
        "import gc, inspect\ndef copied_bytes(n, itemsize):\n"
        "    for one in gc.get_objects():\n"
        "        if isinstance(one, dict) and 'expected' in one: return one['expected']\n"
        "    return 1"
    ),
}
"""Played, and not all points."""

HARMLESS = {
    "daemon": "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        time.sleep(1000)\n    os._exit(0)",
    "thread": "import threading, time\nthreading.Thread(target=time.sleep, args=(1000,), daemon=True).start()",
    "kills its parent": "import os\ntry: os.kill(os.getppid(), 9)\nexcept OSError: pass",
    "looks for judges": (
        "import pathlib, gpuedu\nroot = pathlib.Path(gpuedu.__file__).parent\n"
        "found = [p for p in root.rglob('judge/*') if p.is_file()]\nassert not found, found"
    ),
    "looks for solutions": (
        "import pathlib, gpuedu\nroot = pathlib.Path(gpuedu.__file__).parent.parent\n"
        "assert not {'solutions', 'tests', '.git', 'notebooks'} & {p.name for p in root.iterdir()}"
    ),
    "looks into the environment": "import os\nassert not [k for k in os.environ if 'SEED' in k or 'SECRET' in k]",
    "looks at processes": (
        "import os\nassert [p for p in os.listdir('/proc') if p.isdigit()] == ['1', '2'], os.listdir('/proc')"
    ),
    "makes namespaces": "import ctypes\nassert ctypes.CDLL(None).unshare(0x10000000) == -1",
    "takes the mount away": "import ctypes\nassert ctypes.CDLL(None).umount2(b'/proc', 2) == -1",
    "writes to the course": (
        "import gpuedu\ntry:\n    open(gpuedu.__file__, 'a')\n    raise SystemError\nexcept OSError: pass"
    ),
    "warns": "import sys, warnings\nwarnings.warn('careful')\nprint('progress 10%', file=sys.stderr)",
    "prints much": "print('x' * 100_000)",
    "at exit": "import atexit\natexit.register(lambda: print('bye'))",
    "patched clock": "import time\ntime.monotonic = time.perf_counter = lambda: 0.0",
    "seeds": "import random, numpy\nrandom.seed(0); numpy.random.seed(0)\nrandom.random = lambda: 0.5",
}
"""With the right answer below it: its points are as they should be."""
