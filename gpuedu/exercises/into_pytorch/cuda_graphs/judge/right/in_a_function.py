# Three warm-ups, static inputs made from the last pair, and a graph held in a function.
def captured(device, step, x, lr):
    inside = x.clone(), device.tensor(0.0)
    for _ in range(3):
        step(*inside)
    graph = device.CUDAGraph()
    with device.graph(graph):
        y = step(*inside)

    def run(x, lr):
        inside[1].fill_(lr)
        inside[0].copy_(x)
        graph.replay()
        return y.clone()

    return run


def run_captured(device, step, inputs):
    run = captured(device, step, *inputs[-1])
    return [run(x, lr) for x, lr in inputs]


def step_times(kernels, kernel_us, launch_us, replay_us, node_us):
    cpu, gpu = kernels * launch_us, kernels * kernel_us
    without = cpu if cpu > gpu else gpu
    gpu += kernels * node_us
    return without, replay_us if replay_us > gpu else gpu


def no_gain_from(kernels, launch_us, replay_us, node_us):
    gains = replay_us < kernels * launch_us and node_us < launch_us
    return launch_us - node_us if gains else 0.0
