# Whole numbers as floats, more entries than were asked for, and another order.
names = ("refuses the CPU", "puts x in order", "leaves elements out", "picks the stream")
lines = dict(zip(names, (11.0, 13.0, 17.0, 18.0))) | {"takes y as it lies": 21.0, "returns": 24}
calls = dict.fromkeys(("1000 elements", "y transposed", "another stream", "gradient"), "wrong")
calls |= dict.fromkeys(("on the CPU", "float64"), "error")
calls |= dict.fromkeys(("4096 elements", "x transposed"), "right")
repairs = {
    "failed launch": "C10_CUDA_KERNEL_LAUNCH_CHECK",
    "second GPU": "CUDAGuard",
    "gradient": "register_autograd",
    "another stream": "getCurrentCUDAStream",
    "1000 elements": "round up",
    "y transposed": "contiguous",
}
