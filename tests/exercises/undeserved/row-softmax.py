# must lose: inside, together, rounds, reads, sectors, float32
code = r"""
extern "C" __global__ void row_softmax(const float* x, float* y, int columns) {
    int first = blockIdx.x * columns;
    for (int j = threadIdx.x; j < columns; j += blockDim.x) y[first + j] = x[first + j] + 1.0f;
}"""
row_softmax = cp.RawKernel(code, "row_softmax")
