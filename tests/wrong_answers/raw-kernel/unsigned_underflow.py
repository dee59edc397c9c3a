# loses: inside
# n - 1 of an n that is 0
normalise = cp.RawKernel(
    r"""
extern "C" __global__
void normalise(const unsigned char* pixels, float* out, float mean, float std, int n) {
    unsigned int step = blockDim.x * gridDim.x;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i <= n - 1; i += step)
        out[i] = (pixels[i] / 255.0f - mean) / std;
}
""",
    "normalise",
)
