# nested loops for the order, and one loop in which a backward pass comes when enough is kept
def interleaved(stage, stages, micro_batches, chunks):
    def through(kind, numbers):
        for first in range(0, micro_batches, stages):
            for c in numbers:
                for m in range(first, first + stages):
                    yield kind, m, c

    forward = list(through("forward", range(chunks)))
    backward = list(through("backward", range(chunks)[::-1]))
    most = 2 * (stages - 1 - stage) + (chunks - 1) * stages + 1
    actions, kept = [], 0
    while backward:
        if forward and kept < most:
            actions.append(forward.pop(0))
            kept += 1
        else:
            actions.append(backward.pop(0))
            kept -= 1
    return actions
