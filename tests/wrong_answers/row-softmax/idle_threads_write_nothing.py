# loses: inside
# the places of threads without a column are never written
row_softmax = cp.RawKernel(
    r"""
extern "C" __global__ void row_softmax(const float* x, float* y, int columns) {
    __shared__ float part[256];
    int t = threadIdx.x, row = blockIdx.x * columns;
    if (t < columns) part[t] = x[row + t];
    for (int j = t + blockDim.x; j < columns; j += blockDim.x)
        part[t] = fmaxf(part[t], x[row + j]);
    for (int gap = blockDim.x / 2; gap > 0; gap /= 2) {
        __syncthreads();
        if (t < gap) part[t] = fmaxf(part[t], part[t + gap]);
    }
    __syncthreads();
    float largest = part[0];
    __syncthreads();
    part[t] = 0.0f;
    for (int j = t; j < columns; j += blockDim.x) part[t] += expf(x[row + j] - largest);
    for (int gap = blockDim.x / 2; gap > 0; gap /= 2) {
        __syncthreads();
        if (t < gap) part[t] += part[t + gap];
    }
    __syncthreads();
    for (int j = t; j < columns; j += blockDim.x)
        y[row + j] = expf(x[row + j] - largest) / part[0];
}
""",
    "row_softmax",
)
