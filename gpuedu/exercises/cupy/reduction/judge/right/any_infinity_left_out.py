# A factor of 0 for a pair of nothing; the largest is chosen by hand.
pairs = r"""
#define MINUS_INFINITY __int_as_float(0xff800000)

__device__ float2 nothing() {
    return {MINUS_INFINITY, 0.0f};
}
__device__ float2 join(float2 a, float2 b) {
    bool is_first = a.x >= b.x;
    float high = is_first ? a.x : b.x, low = is_first ? b.x : a.x;
    float more = is_first ? a.y : b.y, less = is_first ? b.y : a.y;
    float factor = isfinite(low) ? exp2f((low - high) * 1.44269504f) : 0.0f;
    return {high, more + less * factor};
}
__device__ float whole(float2 p) {
    return p.x + logf(p.y);
}
"""
logsumexp = pair_kernel(pairs)
