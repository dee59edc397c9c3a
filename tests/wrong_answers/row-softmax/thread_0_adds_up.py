# loses: rounds
# no fold: one thread walks over the places of all
row_softmax = cp.RawKernel(
    r"""
extern "C" __global__ void row_softmax(const float* x, float* y, int columns) {
    __shared__ float part[256];
    int t = threadIdx.x, row = blockIdx.x * columns;
    __shared__ float result;
    part[t] = x[row];
    for (int j = t; j < columns; j += blockDim.x) part[t] = fmaxf(part[t], x[row + j]);
    __syncthreads();
    if (t == 0) {
        result = part[0];
        for (int k = 1; k < blockDim.x; k++) result = fmaxf(result, part[k]);
    }
    __syncthreads();
    float largest = result;
    __syncthreads();
    part[t] = 0.0f;
    for (int j = t; j < columns; j += blockDim.x) part[t] += expf(x[row + j] - largest);
    __syncthreads();
    if (t == 0) {
        result = 0.0f;
        for (int k = 0; k < blockDim.x; k++) result += part[k];
    }
    __syncthreads();
    for (int j = t; j < columns; j += blockDim.x)
        y[row + j] = expf(x[row + j] - largest) / result;
}
""",
    "row_softmax",
)
