# loses: with-copies
# pays for the copy of one element, as part of the launch
def break_even_with_copies(
    launch_s, cpu_elements_per_s, gpu_elements_per_s, link_bytes_per_s, bytes_per_element
):
    start_s = launch_s + bytes_per_element / link_bytes_per_s
    return break_even(start_s, cpu_elements_per_s, gpu_elements_per_s)
