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
    "daemon": "import os, time\nif os.fork() == 0:\n    os.setpgid(0, 0)\n    if os.fork() == 0:\n        time.sleep(1000)\n    os._exit(0)",
    "thread": "import threading, time\nthreading.Thread(target=time.sleep, args=(1000,), daemon=True).start()",
    "kills its parent": "import os\ntry: os.kill(os.getppid(), 9)\nexcept OSError: pass",
    "looks for kernels": (
        "import importlib\n"
        "for name in ('ladder.plain', 'ladder.rungs', 'recording.kernels'):\n"
        "    try: importlib.import_module('gpuedu.' + name)\n"
        "    except ImportError: continue\n"
        "    raise AssertionError(name)"
    ),
    "looks for pictures": (
        "import pathlib, gpuedu\nroot = pathlib.Path(gpuedu.__file__).parent / 'exercises'\n"
        "for one in [*root.rglob('*picture*'), *root.rglob('measure*'), *root.rglob('gradient_noise*')]:\n"
        "    assert b'def ' not in one.read_bytes() and b'code' not in one.read_bytes(), one\n"
        "try:\n    from gpuedu.exercises.training_step import counting_pictures\n"
        "except ImportError:\n    counting_pictures = None\n"
        "assert counting_pictures is None"
    ),
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
    "sets the kernel": (
        "import os\nopened = []\n"
        "named = ['/proc/sysrq-trigger', '/proc/sys/kernel/core_pattern', '/proc/self/oom_score_adj']\n"
        "found = [os.path.join(at, n) for at, _, names in os.walk('/proc') for n in names]\n"
        "assert len(found) > 1000 or not os.path.exists('/proc/self')\n"
        "for path in named + [one for one in found if not os.path.islink(one)]:\n"
        "    try: opened.append((path, os.open(path, os.O_WRONLY | os.O_NONBLOCK)))\n"
        "    except OSError: pass\n"
        "assert not opened, opened"
    ),
    "prints by the name of a file": "open('/dev/stdout', 'w').write('x')",
    "warns": "import sys, warnings\nwarnings.warn('careful')\nprint('progress 10%', file=sys.stderr)",
    "prints much": "print('x' * 100_000)",
    "at exit": "import atexit\natexit.register(lambda: print('bye'))",
    "patched clock": "import time\ntime.monotonic = time.perf_counter = lambda: 0.0",
    "seeds": "import random, numpy\nrandom.seed(0); numpy.random.seed(0)\nrandom.random = lambda: 0.5",
}
"""With the right answer below it: its points are as they should be."""

STAYS = """
def predict_on_device(cp, x, d_w):
    d_x = cp.asarray(x)
    std = d_x.std(axis=0)
    std = cp.where(std == 0, 1, std)
    logits = (d_x - d_x.mean(axis=0)) / std @ d_w
    e = cp.exp(logits - logits.max(axis=1, keepdims=True))
    return (e / e.sum(axis=1, keepdims=True)).get()
"""
"""The right answer of stay-on-device."""

COPIES = STAYS.replace("d_x = cp.asarray(x)", "d_x = cp.asarray(cp.asarray(x).get())").replace(
    "std == 0, 1", "std == 0, float(std.max() * 0 + 1)"
)
"""The right numbers by copies that lose three of its four points."""

COUNTERS = {
    "patched account": (
        "import gpuedu.arrays.account as a, gpuedu.simt.host.transfers as t\n"
        "import gpuedu.arrays.transfer as c, gpuedu.backend as b\n"
        "a.note_operation = t.note_transfer = c.note_transfer = lambda *_, **__: None\n"
        "c.copied_to_host = c.copied_to_device = lambda *_, **__: None\n"
        "b.transfers = t.transfers = lambda: ()\nt._log = ()"
    ),
    "patched watching": (
        "import gpuedu.exercises.arrays.watching as w, gpuedu.exercises.cupy.no_loops.play as n\n"
        "import gpuedu.exercises.arrays.plays as p, gpuedu.exercises.cupy.stay_on_device.play as s\n"
        "w.plain_copies = p.plain_copies = lambda watched: []\n"
        "w.watch = n.watch = s.watch = lambda f, *a: w.Watched(f(*a), (), 0)"
    ),
    "patched memory": (
        "import gpuedu.arrays.memory as m\nm._meter.change = lambda size: None\n"
        "m.Peak.extra_bytes = property(lambda self: 0)"
    ),
    "patched proxies": (
        "from gpuedu import cp\nkind = type(cp.zeros(1))\n"
        "get, kind.get = kind.get, lambda self: get(self).copy()\nkind.__del__ = lambda self: None"
    ),
    "patched messages": (
        "import gpuedu.grading.player.channel as c\nsend = c.Channel.send\n"
        "def forged(self, value, limit_s=None):\n"
        "    if 'observed' in value: value = {**value, 'copies': [], 'launches': 0}\n"
        "    send(self, value, limit_s)\n"
        "c.Channel.send = forged"
    ),
}
"""Before ``COPIES``: the points are those of the copies that were made."""

_ASK = """
from gpuedu import cp
held = cp.arange(4)
link = cp._link
def ask(**asked):
    try:
        link._ask({"args": [], "kwargs": {}, "name": "", **asked}, [])
    except Exception as fault:
        return type(fault).__name__
    return "it was answered"
"""
UNANSWERED = {
    "forbidden names": (
        "names = ['load', 'save', 'fromfile', 'memoize', '__getattr__', '_functions', 'sys.exit', "
        "'builtins.eval', 'cuda.runtime.getDevice', 'random.np.load', 'cuda.Device', 'operators']\n"
        "answers = [ask(op='call', on=name) for name in names]"
    ),
    "forbidden parts": (
        "parts = ['__globals__', '__class__', '__call__', '_compute', '__init__', 'part']\n"
        "answers = [ask(op=op, on='exp', name=part) for part in parts for op in ('get', 'call')]"
    ),
    "forbidden attributes": (
        "names = ['elements', 'device_view', '_memory', '_read', '__class__', '__dict__', 'part', "
        "'__reduce__', '__array__', 'on_view', '__init__', 'base.base', 'tofile', 'dump']\n"
        "number = held._link_number\n"
        "answers = [ask(op=op, on=number, name=n) for n in names for op in ('get', 'call', 'set')]"
    ),
    "addresses of the host": (
        "place = held.data\nnumber = place._link_number\n"
        "answers = [ask(op='call', on=number, name=n, args=[1, 8]) for n in "
        "('copy_from_host', 'copy_to_host', 'copy_from', 'copy_to_host_async', '_bytes')]"
    ),
    "forged handles": (
        "answers = [ask(op='call', on=n, name='get') for n in (0, -1, 10**9, 1.5, True, None, [1])]\n"
        "answers += [ask(op='call', on='exp', args=[['thing', n]]) for n in (0, -1, 10**9, '1', None)]"
    ),
    "replayed handles": (
        "gone = cp.arange(3)\nnumber = gone._link_number\ndel gone\n"
        "answers = [ask(op='call', on=number, name='get') for _ in range(3)]\n"
        "link._freed += [[held._link_number, 10**6], [held._link_number, -5], ['x'], None, [None, 1]]\n"
        "answers += [ask(op='call', on=held._link_number, name='get')]"
    ),
    "memory that is taken already": (
        "place = held.data\ntold = ['method', place._link_number, '__add__']\n"
        "answers = [ask(op='call', on='cuda.set_allocator', args=[one]) for one in (told, 3)]\n"
        "number = place._link_number\n"
        "answers += [ask(op='call', on=number, name='__sub__', args=[n]) for n in (1, 1.5, True)]\n"
        "answers += [ask(op='call', on=number, name='__add__', args=[n]) for n in (-64, 10**4)]\n"
        "memory = place.mem._link_number\nmade = [['thing', memory], -64], [3, 4], [7]\n"
        "answers += [ask(op='call', on='cuda.MemoryPointer', args=list(one)) for one in made]\n"
        "answers += [ask(op='call', on='cuda.Memory', args=[64])]"
    ),
    "malformed values": (
        "values = [['list', 3], ['dict', [[1]]], ['slice', 1, 2, 3, 4, 5], ['dtype', 'O,'], [], [3], "
        "['unknown', 1, 2], ['type', 'eval'], ['ufunc', 'load'], ['named', 'x', ['a b'], [1]], "
        "['library', 'os'], ['function', 0, 'f'], ['blank', 'f8', [-1]], ['numbers', 3, 4], "
        "['method', 1, '__init__'], ['name', 'os.system'], ['range', 'a'], ['bytes', 'x']]\n"
        "answers = [ask(op='call', on='asarray', args=[value]) for value in values]"
    ),
    "malformed requests": (
        "asked = [dict(op='call', on='exp', args=3), dict(op='call', on='exp', kwargs=[]), dict(), "
        "dict(op='call', on='exp', name=None), dict(op='set', on='exp'), dict(on={}), "
        "dict(op='returned', value=1), dict(op='raised', value=1)]\n"
        "answers = [ask(**one) for one in asked]"
    ),
    "more than there is": (
        "answers = [ask(op='call', on='zeros', args=[2**n]) for n in (40, 50, 62, 70)]\n"
        "answers += [ask(op='call', on='ndarray', args=[['tuple', [2**20] * 3]])]"
    ),
    "what a fused function kept": (
        "kept = []\n@cp.fuse\ndef f(x):\n    kept.append(x * 2)\n    return kept[0] + 1\n"
        "result = f(held)\nanswers = [ask(op='call', on=kept[0]._link_number, name='get')]"
    ),
}
"""Asked before ``STAYS``: every one of ``answers`` is a refusal, and the points are had."""
UNANSWERED = {
    name: f"{_ASK}{text}\nassert 'it was answered' not in answers, answers\n"
    for name, text in UNANSWERED.items()
}

_IN_CALL = "def predict_on_device(cp, x, d_w):\n    import os, json, struct, time\n"
LOST = {
    "forged result": _IN_CALL
    + ("    class F:\n        def told_to_device(self): return ['thing', 10**6]\n    return F()"),
    "endless memory": _IN_CALL + "    kept = []\n    while True: kept.append(cp.zeros(2**23))",
    "rubbish": _IN_CALL + "    os.write(3, b'x' * 10_000)",
    "a message too many": _IN_CALL
    + (
        "    told = json.dumps({'d': [['device', {'d': []}]]}).encode()\n"
        "    for _ in range(50): os.write(3, struct.pack('<II', len(told), 0) + told)\n"
        "    return d_w.get()"
    ),
    "a request that is none": _IN_CALL
    + (
        "    cp._link._channel.send({'device': [1, 2]})\n"
        "    cp._link._channel.send({'do': 'rebuild', 'problem': 7, 'call': 3})\n    return 1"
    ),
    "a reply of its own": _IN_CALL
    + (
        "    cp._link._channel.send({'observed': {'result': x, 'copies': []}, 'problem': None})\n"
        "    return x"
    ),
    "left in a fused function": _IN_CALL
    + (
        "    f = cp.fuse(kernel_name='f')(lambda a: cp._link._channel.send({'problem': ['m', 'c', False]}))\n"
        "    return f(d_w)"
    ),
    "lists in lists": _IN_CALL
    + (
        "    deep = 1\n    for _ in range(300): deep = ['list', [deep]]\n"
        "    cp._link._ask({'op': 'call', 'on': 'exp', 'name': '', 'args': [deep], 'kwargs': {}}, [])"
    ),
    "never reads": _IN_CALL
    + (
        "    d = cp.zeros(2**20)\n    told = {'op': 'call', 'on': d._link_number, 'name': 'get'}\n"
        "    cp._link._channel.send({'device': {**told, 'args': [], 'kwargs': {}}})\n"
        "    time.sleep(1e6)"
    ),
}
"""Answers that say to the device what is no request, or take what there is: no points."""
