# One number a warp; its lanes fold by shuffles, warps meet by atomics.
row_softmax = cp.RawKernel(
    r"""
#include <math_constants.h>
#define INT_MIN (-2147483647 - 1)

extern "C" __global__ void row_softmax(const float* x, float* y, int columns) {
    __shared__ int most;
    __shared__ float sum;
    int row = blockIdx.x * columns;
    if (threadIdx.x == 0) {
        most = INT_MIN;
        sum = 0.0f;
    }
    __syncthreads();
    float largest = -CUDART_INF_F;
    for (int j = threadIdx.x; j < columns; j += blockDim.x)
        largest = fmaxf(largest, x[row + j]);
    for (int d = 16; d > 0; d /= 2)
        largest = fmaxf(largest, __shfl_down_sync(0xffffffff, largest, d));
    int bits = __float_as_int(largest);  // of negative numbers, larger bits mean a smaller number
    if (threadIdx.x % 32 == 0) atomicMax(&most, bits >= 0 ? bits : bits ^ 0x7fffffff);
    __syncthreads();
    largest = __int_as_float(most >= 0 ? most : most ^ 0x7fffffff);
    float total = 0.0f;
    for (int j = threadIdx.x; j < columns; j += blockDim.x) total += expf(x[row + j] - largest);
    for (int d = 16; d > 0; d /= 2) total += __shfl_down_sync(0xffffffff, total, d);
    if (threadIdx.x % 32 == 0) atomicAdd(&sum, total);
    __syncthreads();
    for (int j = threadIdx.x; j < columns; j += blockDim.x)
        y[row + j] = expf(x[row + j] - largest) / sum;
}
""",
    "row_softmax",
)
