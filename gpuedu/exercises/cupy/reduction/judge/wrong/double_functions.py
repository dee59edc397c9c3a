# loses: single
# asks: A number with a point, such as `0.5`, is a double in C, and so is whatever it meets:
#   `0.5f` is a float. Variables of type double, and `pow` with a whole number, do the same.
pairs = r"""
#define MINUS_INFINITY __int_as_float(0xff800000)

__device__ float2 nothing() {
    return make_float2(MINUS_INFINITY, 0.0f);
}
__device__ float2 join(float2 a, float2 b) {
    double m = max(a.x, b.x);
    if (m == MINUS_INFINITY) return nothing();
    return make_float2(m, a.y * exp(a.x - m) + b.y * exp(b.x - m));
}
__device__ float whole(float2 p) {
    return p.x + logf(p.y);
}
"""
logsumexp = pair_kernel(pairs)
