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
}
"""Each with properties that it has not earned."""
