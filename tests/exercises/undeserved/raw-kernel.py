# must lose: once, inside, sectors
normalize = cp.RawKernel(
    r"""
extern "C" __global__
void normalize(const unsigned char* pixels, float* out, float mean, float std, int n) {
    int step = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        out[i] = pixels[i];
}
""",
    "normalize",
)
