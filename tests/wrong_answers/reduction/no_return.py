# loses: values
# forgets a return, which does not compile
pairs = r"""
#define MINUS_INFINITY __int_as_float(0xff800000)

__device__ float2 nothing() {
    return make_float2(MINUS_INFINITY, 0.0f);
}
__device__ float2 join(float2 a, float2 b) {
    float m = fmaxf(a.x, b.x);
    if (m == MINUS_INFINITY) return nothing();
    return make_float2(m, a.y * expf(a.x - m) + b.y * expf(b.x - m));
}
__device__ float whole(float2 p) {
    p.x + logf(p.y)
}
"""
logsumexp = pair_kernel(pairs)
