# loses: any-kernel
# asks: That is from the first start to the last end. What about the gaps between?
def gpu_util(kernels, start_s, end_s):
    if not kernels:
        return 0.0
    first = max(min(a for a, *_ in kernels), start_s)
    last = min(max(k[1] for k in kernels), end_s)
    return (last - first) / (end_s - start_s)
