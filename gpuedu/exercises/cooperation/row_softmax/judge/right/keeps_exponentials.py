# The exponentials wait in y; a while loop, dynamic style, two shared arrays.
row_softmax = cp.RawKernel(
    r"""
extern "C" __global__ void row_softmax(const float* x, float* y, int columns) {
    __shared__ float most[256];
    __shared__ float sums[256];
    const int t = threadIdx.x, threads = blockDim.x;
    const float *row = &x[blockIdx.x * columns];
    float *out = &y[blockIdx.x * columns];
    float largest = -3.4e38f;
    for (int j = t; j < columns; j += threads) {
        if (row[j] > largest) largest = row[j];
    }
    most[t] = largest;
    __syncthreads();
    int active = threads;
    while (active > 1) {
        active >>= 1;
        if (t < active && most[t + active] > most[t]) most[t] = most[t + active];
        __syncthreads();
    }
    float sum = 0.f;
    for (int j = t; j < columns; j += threads) {
        float raised = __expf(row[j] - most[0]);
        out[j] = raised;
        sum += raised;
    }
    sums[t] = sum;
    __syncthreads();
    active = threads;
    while (active > 1) {
        active >>= 1;
        if (t < active) sums[t] += sums[t + active];
        __syncthreads();
    }
    for (int j = t; j < columns; j += threads) out[j] /= sums[0];
}
""",
    "row_softmax",
)
