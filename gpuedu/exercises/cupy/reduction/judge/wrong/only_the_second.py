# loses: values
# asks: NaN comes of infinity minus infinity, or 0 times infinity. What do you take the
#   exponential of when one of the pairs is empty, or both are?
pairs = r"""
#define MINUS_INFINITY __int_as_float(0xff800000)

__device__ float2 nothing() {
    return make_float2(MINUS_INFINITY, 0.0f);
}
__device__ float2 join(float2 a, float2 b) {
    if (b.x == MINUS_INFINITY) return a;
    return make_float2(a.x, a.y + b.y * expf(b.x - a.x));
}
__device__ float whole(float2 p) {
    return p.x + logf(p.y);
}
"""
logsumexp = pair_kernel(pairs)
