"""Answers that make up what is counted, or send what no play would give."""

ALIASED_COPY = """
from gpuedu import cuda

@cuda.jit
def copy_striped(src, dst):
    i = cuda.grid(1)
    per_thread = (src.size + cuda.gridsize(1) - 1) // cuda.gridsize(1)
    if i >= 0:
        a = src
        b = dst
    else:
        a = dst
        b = src
    for j in range(i * per_thread, min((i + 1) * per_thread, src.size)):
        b[j] = a[j]
    if i < 64 and i < src.size:
        dst[i] = src[i]
"""
"""A copy of the worst kind under names of no argument, beside a good one that is counted."""

ALIASED_TRANSPOSE = """
from gpuedu import cuda, float32

@cuda.jit
def transpose(m, out):
    tile = cuda.shared.array((32, 32), float32)
    x, y = cuda.grid(2)
    a = m if cuda.threadIdx.x >= 0 else out
    if y < m.shape[0] and x < m.shape[1]:
        tile[cuda.threadIdx.y, cuda.threadIdx.x] = m[y, x]
    r = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.y
    c = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.x
    if r < out.shape[0] and c < out.shape[1]:
        out[r, c] = a[c, r]
"""

_FORGE = """
import sys
import numpy as np
import gpuedu.grading.player.serving as serving
nan = float("nan")

def made(i):
    {made}

def _reply(outcome, real=serving._reply):
    request = sys._getframe(1).f_locals.get("request")
    if not request or request.get("do") != "play":
        return real(outcome)
    return {{"observed": made(request["inputs"]), "problem": None, "printed": ""}}

serving._reply = _reply
"""


def forged(names: str, made: str) -> str:
    """Cells that define functions which do nothing, and reply with what they make up."""
    functions = "".join(f"def {name}(*arguments): pass\n" for name in names.split())
    return functions + _FORGE.format(made=made)


_STATES = """return {"found": [False] * 9, "weights": np.zeros((0, 1, 1)),
            "scales": [nan] * len(i.get("states", ())), "good_steps": [0] * 999}"""
_MASTERS = """return {"dtype": i["dtype"], "master_dtype": "float32", "weight_dtype": i["dtype"],
            "master": np.zeros((0, 1)), "weight": np.zeros((0, 1)), "rounded": np.zeros((0, 1, 1))}"""
_CALLS = (
    """return {"values": [None] * 3, "calls": [[1, ["plain", 0], []], [2, WEIGHT, []]] * 999}"""
)
_NONE = '["plain", np.zeros((0, 1, 1))]'

OBSERVED = {
    "adam-in-half": forged(
        "smallest_gradient begin adam_step",
        'return {"got": 0.0, "dtype": "float16", "weights": np.zeros((0, 1, 1))}',
    ),
    "master-weights": forged("master_step round_stochastically", _MASTERS),
    "loss-scaler": forged("next_scale scaled_step", _STATES),
    "launch-bound": forged("launch_share elements_for_share", 'return {"result": nan}'),
    "throughput-knee": forged(
        "samples_per_s knee measured_knee", 'return {"got": float("inf"), "own": [0.0, 0.0]}'
    ),
    "backward-by-hand": forged(
        "backward",
        'return {"problems": {}, "arrays": dict.fromkeys('
        '("s", "w2", "b2", "h", "z", "w1", "b1"), np.zeros((0, 1, 1)))}',
    ),
}
"""By exercise: what was seen is made up; no play gives arrays of these shapes, or no numbers."""

CALLS = {
    "arrays for tensors": forged(
        "smallest_gradient begin adam_step", _CALLS.replace("WEIGHT", _NONE)
    ),
    "no tensor of a shape": forged(
        "smallest_gradient begin adam_step",
        _CALLS.replace("WEIGHT", '["tensor", "float16", [0, 1, 1], np.zeros(0, np.uint8)]'),
    ),
    "a tensor of no type": forged(
        "smallest_gradient begin adam_step",
        _CALLS.replace("WEIGHT", '["tensor", "save", [16], np.zeros(32, np.uint8)]'),
    ),
    "another function's": forged(
        "smallest_gradient begin adam_step",
        'return {"values": [None] * 3, "calls": [[0, ["plain", 0.1], []]] * 2}',
    ),
    "no calls": forged(
        "smallest_gradient begin adam_step", 'return {"values": [None] * 3, "calls": []}'
    ),
    "nothing of the kind": forged("smallest_gradient begin adam_step", 'return {"calls": 3}'),
    "a kind of its own": forged(
        "smallest_gradient begin adam_step", _CALLS.replace("WEIGHT", '["eval", "1"]')
    ),
}
"""For adam-in-half: the functions' results are made up, in forms that no tensor has."""

LIBRARY = """
def blocks_per_sm(sm, threads, registers, shared_bytes): pass
def warps_needed(latency, independent): pass
import gpuedu.grading.player.serving as serving
serving.describe_answer = lambda one, device=None: {{"kind": "name", "module": {}, "name": {}}}
"""
NAMED = {
    "closes the machine's channel": LIBRARY.format('"numpy"', '"f2py.os.closerange"'),
    "a built-in": LIBRARY.format('"builtins"', '"print"'),
    "a module of the course": LIBRARY.format('"gpuedu.backend"', '"os._exit"'),
}
"""For occupancy: answers that name a function of a library, to be called by the machine."""

READ_FROM_AN_ERROR = """
import re
import numpy as np

def _read(cp, scalar):
    try:
        cp.broadcast_shapes(scalar)
    except TypeError as fault:
        return float(re.search(r"array\\(([^,)]*)", str(fault))[1])

def predict_on_device(cp, x, d_w):
    d, c = d_w.shape
    w = np.array([[_read(cp, d_w[i, j]) for j in range(c)] for i in range(d)])
    z = x.astype(np.float64)
    s = z.std(axis=0); s[s == 0] = 1
    l = (z - z.mean(axis=0)) / s @ w
    e = np.exp(l - l.max(axis=1, keepdims=True))
    d_x = cp.asarray(x)
    for _ in range(12): d_x = d_x + 0
    (d_x @ d_w).get()
    return (e / e.sum(axis=1, keepdims=True)).astype(np.float32)
"""
"""Numbers of the device's out of the text of an error, in which no copy is counted."""

READ_FROM_A_HAZARD = '''
import re
import numpy as np

def predict_on_device(cp, x, d_w):
    d, c = d_w.shape
    flat, out = d_w.ravel().view(np.int32), cp.zeros(4, np.int32)
    source = """extern "C" __global__ void {}(const int* w, int i, int* out) {{
        out[({}) + 64] = 1;
    }}"""
    halves = {"low": "w[i] & 65535", "high": "(w[i] >> 16) & 65535"}
    kernels = [cp.RawKernel(source.format(*one), one[0]) for one in halves.items()]

    def read(i):
        found = []
        for kernel in kernels:
            try:
                kernel((1,), (1,), (flat, np.int32(i), out))
            except Exception as fault:
                found.append(int(re.search(r"out\\[(\\d+)\\]", str(fault))[1]) - 64)
        return found[0] | found[1] << 16

    w = np.array([read(i) for i in range(d * c)], np.uint32).view(np.float32).reshape(d, c)
    z = x.astype(np.float64)
    s = z.std(axis=0); s[s == 0] = 1
    l = (z - z.mean(axis=0)) / s @ w
    e = np.exp(l - l.max(axis=1, keepdims=True))
    p = (e / e.sum(axis=1, keepdims=True)).astype(np.float32)
    d_x, d_p = cp.asarray(x), cp.zeros(p.shape, np.float32)
    for i in range(p.shape[0]):
        for j in range(p.shape[1]):
            d_p[i, j] = float(p[i, j])
    return d_p.get()
'''
"""Numbers of the device's as the index at which a kernel is stopped."""

NESTED = """
from numba import njit

@njit
def use(f, z):
    return f(z)

@njit
def saxpy(a, x, y, out):
    s = {!r}
    def inner(z{}):
        s
        return z
    use(inner, 1.0)
"""
_MAKE_UP = """
import sys
import numpy as np
import gpuedu.grading.player.serving as serving
import gpuedu.exercises.why_gpus.parallel_cpu.play as play

RECORD = {"compiled": True, "asked": True, "loops": 1, "loops_over_x": 1, "empty_loops": 0,
          "alone": False, "helper": False}

def forged(outcome, real=serving._reply):
    request = sys._getframe(1).f_locals.get("request")
    if not request or request.get("do") != "play":
        return real(outcome)
    i = request["inputs"]
    seen = {"x": i["x"], "y": i["y"], "out": np.float32(i["a"]) * i["x"] + i["y"],
            "wrote_outside": False, "returns": False}
    return {"observed": RECORD if i["recorded"] else seen, "problem": None, "printed": ""}

play.record_of = lambda *_: RECORD
serving._reply = forged
"""
_RUN = f"exec({_MAKE_UP!r}, {{}})"
RUN_BY_THE_COMPILER = {
    "a captured text": NESTED.format(_RUN, ""),
    "a default": NESTED.format(1, f", d={_RUN!r}"),
    "lines": NESTED.format(f"1\n\t{_RUN}", ""),
}
"""For parallel-cpu: texts that Numba writes into a program of its own when it compiles."""

MESSAGES = {
    "elements of no bytes": '{"a": ["<U0", [3]]}',
    "a stride beyond an integer": '{"a": ["<f8", [1], [2**70]]}, bytes(8)',
    "an impossible shape": '{"a": ["<f8", [0] + [2**28] * 5]}',
    "arrays that spread": '[{"a": ["|i1", [2], [200 * 2**20]]}] * 8, bytes(16)',
    "numbers in numbers": """__import__("functools").reduce(
        lambda inside, _: {"s": inside}, range(600), 1)""",
    "keys of one hash": '{"d": [[(2**61 - 1) * (i + 1), 0] for i in range(30000)]}',
}
"""What is sent instead of a reply."""


def sends(message: str) -> str:
    """An answer of first-check that sends a message of its own when it is played."""
    return f"""
import json, os, struct, time

def send(tree, raw=b""):
    header = json.dumps(tree).encode()
    left = struct.pack("<II", len(header), len(raw)) + header + raw
    while left: left = left[os.write(3, left):]

def copied_bytes(n, itemsize):
    send({message})
    time.sleep(100)
"""


TELLS_INPUTS = """
from gpuedu.errors import AnswerError

def copied_bytes(n, itemsize):
    letters = "".join(chr(97 + int(digit)) for digit in str(n))
    raise AnswerError("it cannot", remedy=f"n is {letters}")
"""
"""A cause is shown in feedback; numbers are taken out of it, and letters are not."""

CALL = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def call(*parts): return libc.syscall(*parts)
"""
FINDS_NO_KEY = CALL + 'assert call(250, 10, -3, b"user", b"gpuedu:left", 0) == -1\n'
SHARES_MEMORY = CALL + "assert libc.shmget(4711, 4096, 0o1666) >= 0\n"
FINDS_NO_MEMORY = CALL + "assert libc.shmget(4711, 4096, 0o666) == -1\n"
MAKES_NO_QUEUE = CALL + (
    'librt = ctypes.CDLL(None)\nassert librt.mq_open(b"/left", 0o102, 0o600, None) == -1\n'
)
"""For first-check, above a right answer."""
