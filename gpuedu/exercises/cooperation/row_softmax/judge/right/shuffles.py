# Warps fold by shuffles, then every thread looks at the warps' results.
row_softmax = cp.RawKernel(
    r"""
#include <math_constants.h>

__device__ float over_warp(float value, bool add) {
    for (int d = 16; d > 0; d /= 2) {
        float other = __shfl_xor_sync(0xffffffff, value, d);
        value = add ? value + other : fmaxf(value, other);
    }
    return value;
}

__device__ float over_block(float value, bool add) {
    __shared__ float part[8];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    value = over_warp(value, add);
    __syncthreads();
    if (lane == 0) part[warp] = value;
    __syncthreads();
    float other = lane < blockDim.x / 32 ? part[lane] : (add ? 0.0f : -CUDART_INF_F);
    return over_warp(other, add);
}

extern "C" __global__ void row_softmax(const float* x, float* y, int columns) {
    const float* row = x + blockIdx.x * columns;
    float largest = -CUDART_INF_F, total = 0.0f;
    for (int j = threadIdx.x; j < columns; j += blockDim.x) largest = fmaxf(largest, row[j]);
    largest = over_block(largest, false);
    for (int j = threadIdx.x; j < columns; j += blockDim.x) total += expf(row[j] - largest);
    total = over_block(total, true);
    for (int j = threadIdx.x; j < columns; j += blockDim.x)
        y[blockIdx.x * columns + j] = expf(row[j] - largest) / total;
}
""",
    "row_softmax",
)
