# The larger pair stays, the smaller is scaled to it.
pairs = r"""
#define MINUS_INFINITY __int_as_float(0xff800000)

__device__ float2 nothing() {
    return make_float2(MINUS_INFINITY, 0.0f);
}
__device__ float2 join(float2 a, float2 b) {
    if (a.x < b.x) { float2 t = a; a = b; b = t; }
    if (b.x == MINUS_INFINITY) return a;
    a.y += b.y * expf(b.x - a.x);
    return a;
}
__device__ float whole(float2 p) {
    return p.x == MINUS_INFINITY ? p.x : p.x + logf(p.y);
}
"""
logsumexp = pair_kernel(pairs)
