# must lose: weights, optimizer, layers, once, measured
def _watched(samples, layers, optimizer):
    import torch
    from torch import nn
    from gpuedu.training.memory import end_of, ledger_at, watch_step

    kinds = {
        "flatten": lambda i, o: nn.Flatten(),
        "linear": nn.Linear,
        "relu": lambda i, o: nn.ReLU(),
        "relu_": lambda i, o: nn.ReLU(inplace=True),
        "sigmoid": lambda i, o: nn.Sigmoid(),
        "gelu": lambda i, o: nn.GELU(),
        "norm": lambda i, o: nn.LayerNorm(i),
        "dropout": lambda i, o: nn.Dropout(0.5),
    }
    model = nn.Sequential(*(kinds[kind](i, o) for kind, i, o in layers))
    batch = torch.rand(samples, layers[0][1]), torch.zeros(samples, dtype=torch.long)
    chosen = {
        "sgd": lambda w: torch.optim.SGD(w, lr=0.1),
        "momentum": lambda w: torch.optim.SGD(w, lr=0.1, momentum=0.9),
        "adam": torch.optim.Adam,
    }[optimizer](model.parameters())
    trace = watch_step(model, batch, nn.functional.cross_entropy, chosen)
    return ledger_at(trace, end_of(trace, "forward"))


def held_bytes(layers, optimizer):
    ledger = _watched(4, layers, optimizer)
    weights = ledger.of_kind("weights")
    return {"weights": weights, "gradients": weights, "optimizer": ledger.of_kind("optimizer")}


def saved_bytes(samples, layers):
    rows = _watched(samples, layers, "sgd").rows
    saved = {row.layer: row.size_bytes for row in rows if row.kind == "activations"}
    return [saved.get(name, 0) for name in [*map(str, range(len(layers))), ""]]
