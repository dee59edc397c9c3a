# loses: every
# the name is not found
normalise = cp.RawKernel(
    r"""
__global__
void normalise(const unsigned char* pixels, float* out, float mean, float std, int n) {
    int step = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        out[i] = (pixels[i] / 255.0f - mean) / std;
}
""",
    "normalise",
)
