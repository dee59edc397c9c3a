# loses: overlap
# asks: That adds up the kernels' times. Two kernels that run at the same time keep the GPU busy
#   once.
def gpu_util(kernels, start_s, end_s):
    inside = [max(0, min(b, end_s) - max(a, start_s)) for a, b, _, _ in kernels]
    return min(sum(inside) / (end_s - start_s), 1.0)
