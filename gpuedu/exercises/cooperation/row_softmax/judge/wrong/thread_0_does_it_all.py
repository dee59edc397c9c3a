# loses: rounds
# asks: One thread of the block does everything. Which columns could be each thread's own?
row_softmax = cp.RawKernel(
    r"""
extern "C" __global__ void row_softmax(const float* x, float* y, int columns) {
    if (threadIdx.x == 0) {
        x += blockIdx.x * columns;
        y += blockIdx.x * columns;
        float largest = x[0], total = 0.0f;
        for (int j = 1; j < columns; j++) largest = fmaxf(largest, x[j]);
        for (int j = 0; j < columns; j++) total += expf(x[j] - largest);
        for (int j = 0; j < columns; j++) y[j] = expf(x[j] - largest) / total;
    }
}
""",
    "row_softmax",
)
