# loses: smallest
# doubles n until the GPU is faster
def break_even(launch_s, cpu_elements_per_s, gpu_elements_per_s):
    if gpu_elements_per_s <= cpu_elements_per_s:
        return math.inf
    n = 1
    while launch_s + n / gpu_elements_per_s >= n / cpu_elements_per_s:
        n *= 2
    return n
