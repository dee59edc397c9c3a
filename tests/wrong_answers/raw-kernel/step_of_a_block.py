# loses: once
# steps by a block
normalise = cp.RawKernel(
    r"""
extern "C" __global__
void normalise(const unsigned char* pixels, float* out, float mean, float std, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x)
        out[i] = (pixels[i] / 255.0f - mean) / std;
}
""",
    "normalise",
)
