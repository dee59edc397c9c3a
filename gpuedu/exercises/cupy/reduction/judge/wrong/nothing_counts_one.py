# loses: values
# asks: When two pairs join, each sum was made for its own largest. By what is it multiplied to
#   fit the larger of the two?
pairs = r"""
#define MINUS_INFINITY __int_as_float(0xff800000)

__device__ float2 nothing() {
    return make_float2(MINUS_INFINITY, 1.0f);
}
__device__ float2 join(float2 a, float2 b) {
    float m = fmaxf(a.x, b.x);
    if (m == MINUS_INFINITY) return nothing();
    return make_float2(m, a.y + b.y);
}
__device__ float whole(float2 p) {
    return p.x + logf(p.y);
}
"""
logsumexp = pair_kernel(pairs)
