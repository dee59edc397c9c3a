# The clone is captured, too, and the static results are copied out with `copy_`.
def run_captured(device, step, inputs):
    xs = [x for x, _ in inputs]
    static_x = device.tensor(xs[0].tolist())
    static_lr = device.tensor([inputs[0][1]])
    results = [x.clone() for x in xs]
    step(static_x, static_lr).clone()
    device.synchronize()
    graph = device.CUDAGraph()
    with device.graph(graph):
        static_y = step(static_x, static_lr).clone()
    for result, (x, lr) in zip(results, inputs):
        static_lr.fill_(lr)
        static_x.copy_(x)
        graph.replay()
        result.copy_(static_y)
        device.synchronize()
    return results


def step_times(kernels, kernel_us, launch_us, replay_us, node_us):
    return [
        kernels * max(launch_us, kernel_us),
        max(replay_us, kernels * kernel_us + kernels * node_us),
    ]


def no_gain_from(kernels, launch_us, replay_us, node_us):
    if kernels * launch_us <= replay_us:
        return 0
    return max(launch_us - node_us, 0)
