"""Answers that do next to nothing, with what they define, by exercise.

What an answer must leave undone, one that does nothing leaves undone.
"""

IDLE = {
    "histogram": (
        ("histogram",),
        "@cuda.jit\ndef histogram(values, hist):\n    if cuda.grid(1) == 0:\n"
        "        cuda.atomic.add(hist, 0, 1)\n",
        {"few-updates", "shared-out"},
    ),
    "accumulate-in-float32": (
        ("rms_norm",),
        "@cuda.jit\ndef rms_norm(x, w, out):\n    pass\n",
        {"compiled", "loops", "once"},
    ),
    "loss-scaler": (
        ("next_scale", "scaled_step"),
        "def next_scale(scale, *rest): return scale, 0\ndef scaled_step(*given): return False\n",
        {"finite", "skips", "fresh"},
    ),
    "largest-batch": (
        ("largest_batch", "guess_batch"),
        "def largest_batch(try_step, most): return 1\ndef guess_batch(*given): return 0\n",
        {"few", "released", "others"},
    ),
    "cuda-graphs": (
        ("run_captured", "step_times", "no_gain_from"),
        "def run_captured(device, step, inputs): return [step(x, lr) for x, lr in inputs]\n"
        "def step_times(*given): return 0.0, 0.0\ndef no_gain_from(*given): return -1.0\n",
        {"permitted", "inputs", "kept", "replayed"},
    ),
    "fused-softmax": (
        ("softmax",),
        "import triton\nimport triton.language as tl\n"
        "@triton.jit\ndef softmax(x, out, columns, BLOCK: tl.constexpr):\n"
        "    at = tl.arange(0, BLOCK)\n"
        "    tl.store(out + tl.program_id(0) * columns + at, 0.0, mask=at < columns)\n",
        {"inside", "masked", "once", "own"},
    ),
    "batching": (
        ("admit", "percentile", "metrics"),
        "def admit(waiting, running, free_tokens):\n"
        "    return [] if running else [waiting[0]['id']]\n"
        "def percentile(*given): return 0.0\ndef metrics(log): return {}\n",
        {"memory"},
    ),
    "quantize": (
        ("quantize", "dequantize", "pack", "unpack"),
        "import numpy as np\ndef quantize(w, bits, group):\n"
        "    shape, codes = (len(w), w.shape[1] // group), np.zeros(w.shape, np.uint8)\n"
        "    return codes, np.full(shape, 1e30, np.float32), np.zeros(shape, np.uint8)\n"
        "def dequantize(*given): return 0\ndef pack(codes): return 0\ndef unpack(p): return 0\n",
        {"error", "step", "range", "zero", "zeros"},
    ),
    "paged-cache": (
        ("append", "fork", "release", "wasted_share"),
        "def append(state, text): return 0, 0, None\ndef fork(state, old, new): pass\n"
        "def release(state, text): pass\ndef wasted_share(*given): return 0.0, 0.0\n",
        {"reading", "holders", "free", "needed", "out"},
    ),
}
"""Each with properties that it has not earned."""
