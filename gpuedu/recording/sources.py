"""The kernels in CUDA C that are measured. Sizes come as arguments; a launch covers all of them."""

EMPTY = 'extern "C" __global__ void empty() { }'

COPY = r"""
extern "C" __global__ void copy(const float4* from, float4* to, long long count) {
    // One thread for each four numbers. No two threads write the same place.
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) to[i] = from[i];
}"""

STRIDED_COPY = r"""
extern "C" __global__ void strided_copy(
        const float* from, float* to, long long count, long long stride) {
    // One thread for each number copied; it lies `stride` numbers after its neighbor's.
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) to[i * stride] = from[i * stride];
}"""

MULTIPLY_ADD = r"""
extern "C" __global__ void multiply_add(
        const float* x, float* y, float factor, float term, int count) {
    // 150 multiply-adds, 300 operations, an element; 4 bytes read and 4 written.
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float value = x[i];
    for (int k = 0; k < 150; ++k) value = fmaf(value, factor, term);
    y[i] = value;
}"""

# `place` scatters 0, 1, 2, ... as random values are scattered. `addresses` is a power of two.
ATOMICS = r"""
__device__ unsigned int place(unsigned int i, unsigned int addresses) {
    i = (i ^ (i >> 16)) * 2654435761u;
    i = (i ^ (i >> 13)) * 2246822519u;
    return (i ^ (i >> 16)) & (addresses - 1u);
}

extern "C" __global__ void add_global(
        unsigned int* bins, unsigned int addresses, unsigned int updates) {
    unsigned int step = gridDim.x * blockDim.x;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < updates; i += step)
        atomicAdd(&bins[place(i, addresses)], 1u);
}

extern "C" __global__ void add_shared(
        unsigned int* bins, unsigned int addresses, unsigned int updates) {
    // Each block adds in its own copy of up to 1,024 addresses, and then copies to `bins`.
    __shared__ unsigned int part[1024];
    unsigned int step = gridDim.x * blockDim.x;
    for (unsigned int k = threadIdx.x; k < addresses; k += blockDim.x) part[k] = 0u;
    __syncthreads();
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < updates; i += step)
        atomicAdd(&part[place(i, addresses)], 1u);
    __syncthreads();
    for (unsigned int k = threadIdx.x; k < addresses; k += blockDim.x)
        atomicAdd(&bins[k], part[k]);
}"""
SHARED_ADDRESSES = 1024

ROW_SOFTMAX = r"""
__device__ float fold_max(float* part, float value) {
    int t = threadIdx.x;
    part[t] = value;
    for (int gap = blockDim.x / 2; gap > 0; gap /= 2) {
        __syncthreads();
        if (t < gap) part[t] = fmaxf(part[t], part[t + gap]);
    }
    __syncthreads();
    return part[0];
}

__device__ float fold_sum(float* part, float value) {
    int t = threadIdx.x;
    part[t] = value;
    for (int gap = blockDim.x / 2; gap > 0; gap /= 2) {
        __syncthreads();
        if (t < gap) part[t] += part[t + gap];
    }
    __syncthreads();
    return part[0];
}

extern "C" __global__ void row_softmax(const float* x, float* y, int columns) {
    // A block of 256 threads a row; the barrier between the folds keeps part[0] until all read it.
    __shared__ float part[256];
    const float* row = x + (long long)blockIdx.x * columns;
    float top = row[0], sum = 0.0f;
    for (int j = threadIdx.x; j < columns; j += blockDim.x) top = fmaxf(top, row[j]);
    top = fold_max(part, top);
    for (int j = threadIdx.x; j < columns; j += blockDim.x) sum += expf(row[j] - top);
    __syncthreads();
    sum = fold_sum(part, sum);
    for (int j = threadIdx.x; j < columns; j += blockDim.x)
        y[(long long)blockIdx.x * columns + j] = expf(row[j] - top) / sum;
}"""
