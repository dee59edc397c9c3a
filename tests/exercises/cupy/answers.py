"""Reference answers of the lesson, written another way than the solution, and ways to hand in."""

from __future__ import annotations

from gpuedu.arrays import cupy as cp
from gpuedu.exercises.examine import Report, examine
from gpuedu.exercises.registry import load


def squared_distances(xp, queries, points):
    q2 = xp.square(queries).sum(axis=1)
    p2 = xp.square(points).sum(axis=1)
    return xp.add(q2[:, None], p2[None, :]) - xp.dot(2 * queries, points.T)


def vote(xp, distances, labels, k, classes):
    nearest = xp.argsort(distances, axis=1, kind="stable")
    votes = xp.arange(classes)[:, None, None] == labels[nearest[:, :k]]
    return votes.sum(axis=2).argmax(axis=0)


def predict_on_device(cp, x, d_w):
    d_x = cp.asarray(x)
    centred = d_x - d_x.mean(axis=0)
    std = d_x.std(axis=0)
    logits = centred / cp.where(std > 0, std, 1) @ d_w
    e = cp.exp(logits - logits.max(axis=1)[:, None])
    return cp.asnumpy(e / e.sum(axis=1)[:, None])


def elementwise(operation: str, *, inputs: str = "float32 x", outputs: str = "float32 y"):
    return cp.ElementwiseKernel(inputs, outputs, operation, "gelu")


def reduction(join: str, *, nothing: str = "make_float2(LEAST, 0.0f)", whole: str = ""):
    functions = f"""
    #define LEAST __int_as_float(0xff800000)
    __device__ float2 nothing() {{ return {nothing}; }}
    __device__ float2 join(float2 a, float2 b) {{ {join} }}
    __device__ float whole(float2 p) {{ return {whole or "p.x + logf(p.y)"}; }}
    """
    return cp.ReductionKernel(
        "float32 x",
        "float32 y",
        "make_float2(x, 1.0f)",
        "join(a, b)",
        "y = whole(a)",
        "nothing()",
        "logsumexp",
        reduce_type="float2",
        preamble=functions,
    )


PARAMETERS = "const unsigned char* p, float* out, float mean, float std, int n"


def raw(body: str, *, parameters: str = PARAMETERS, before: str = 'extern "C"'):
    code = f"{before} __global__ void normalise({parameters}) {{\n{body}\n}}"
    return cp.RawKernel(code, "normalise")


WALK = """int i = blockIdx.x * blockDim.x + threadIdx.x;
while (i < n) {
    out[i] = (p[i] * (1.0f / 255.0f) - mean) / std;
    i += blockDim.x * gridDim.x;
}"""

REFERENCE = {
    "no-loops": (squared_distances, vote),
    "stay-on-device": (predict_on_device,),
    "elementwise": (
        elementwise("y = 0.5f * x + 0.5f * x * tanhf(x * (0.79788456f + 0.035677408f * x * x))"),
    ),
    "reduction": (
        reduction(
            "bool swap = a.x < b.x; float2 high = swap ? b : a, low = swap ? a : b;"
            "if (low.x == LEAST) return high;"
            "return make_float2(high.x, high.y + low.y * expf(low.x - high.x));"
        ),
    ),
    "raw-kernel": (raw(WALK),),
}


def hand_in(exercise: str, *answers: object, seed: int = 0) -> Report:
    """The verdict on these answers; the reference by default."""
    return examine(load(exercise), answers or REFERENCE[exercise], seed)


def lost(report: Report) -> list[str]:
    """The properties that do not hold."""
    return [name for name, holds in report.held().items() if not holds]


def fault(report: Report, name: str):
    """The fault of a property."""
    (found,) = (r.fault for r in report.results if r.property.name == name)
    return found
