# loses: without-copies
# takes the rates for times
def break_even(launch_s, cpu_elements_per_s, gpu_elements_per_s):
    if gpu_elements_per_s <= cpu_elements_per_s:
        return math.inf
    return math.floor(launch_s / (gpu_elements_per_s - cpu_elements_per_s)) + 1
