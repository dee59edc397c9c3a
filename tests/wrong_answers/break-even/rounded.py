# loses: smallest
# rounds to the nearest
def break_even(launch_s, cpu_elements_per_s, gpu_elements_per_s):
    gain = 1 / cpu_elements_per_s - 1 / gpu_elements_per_s
    return round(launch_s / gain) if gain > 0 else math.inf
