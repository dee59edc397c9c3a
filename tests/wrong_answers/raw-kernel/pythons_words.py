# loses: every
# for and range as in Python, which does not compile
normalise = cp.RawKernel(
    r"""
extern "C" __global__
void normalise(const unsigned char* pixels, float* out, float mean, float std, int n) {
    for (int i in range(blockIdx.x * blockDim.x + threadIdx.x, n, blockDim.x * gridDim.x))
        out[i] = (pixels[i] / 255.0f - mean) / std;
}
""",
    "normalise",
)
