# Largest and sum in one walk: where the largest grows, the sum is scaled. Two reads.
row_softmax = cp.RawKernel(
    r"""
extern "C" __global__ void row_softmax(const float* x, float* y, int columns) {
    __shared__ float most[256], sums[256];
    int t = threadIdx.x;
    x += blockIdx.x * columns;
    y += blockIdx.x * columns;
    float largest = x[0], total = 0.0f;
    for (int j = t; j < columns; j += blockDim.x) {
        float value = x[j], next = fmaxf(largest, value);
        total = total * expf(largest - next) + expf(value - next);
        largest = next;
    }
    most[t] = largest;
    sums[t] = total;
    __syncthreads();
    for (int gap = blockDim.x / 2; gap > 0; gap >>= 1) {
        if (t < gap) {
            float next = fmaxf(most[t], most[t + gap]);
            sums[t] = sums[t] * expf(most[t] - next) + sums[t + gap] * expf(most[t + gap] - next);
            most[t] = next;
        }
        __syncthreads();
    }
    float scale = 1.0f / sums[0];
    for (int j = t; j < columns; j += blockDim.x) y[j] = expf(x[j] - most[0]) * scale;
}
""",
    "row_softmax",
)
