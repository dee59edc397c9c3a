# loses: never
# a compiled search that never ends
@njit
def break_even(launch_s, cpu_elements_per_s, gpu_elements_per_s):
    n = 1
    while launch_s + n / gpu_elements_per_s >= n / cpu_elements_per_s:
        n += 1
    return n
