# loses: values
# rows longer than the block
row_softmax = cp.RawKernel(
    r"""
extern "C" __global__ void row_softmax(const float* x, float* y, int columns) {
    __shared__ float part[256];
    int t = threadIdx.x, row = blockIdx.x * columns;
    float own = t < columns ? x[row + t] : x[row];
    part[t] = own;
    for (int gap = blockDim.x / 2; gap > 0; gap /= 2) {
        __syncthreads();
        if (t < gap) part[t] = fmaxf(part[t], part[t + gap]);
    }
    __syncthreads();
    float largest = part[0];
    __syncthreads();
    own = t < columns ? expf(own - largest) : 0.0f;
    part[t] = own;
    for (int gap = blockDim.x / 2; gap > 0; gap /= 2) {
        __syncthreads();
        if (t < gap) part[t] += part[t + gap];
    }
    __syncthreads();
    if (t < columns) y[row + t] = own / part[0];
}
""",
    "row_softmax",
)
