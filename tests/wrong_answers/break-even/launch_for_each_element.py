# loses: without-copies
# pays the launch once for each element
def break_even(launch_s, cpu_elements_per_s, gpu_elements_per_s):
    cpu_s = 1 / cpu_elements_per_s
    gpu_s = launch_s + 1 / gpu_elements_per_s
    return 1 if gpu_s < cpu_s else math.inf
