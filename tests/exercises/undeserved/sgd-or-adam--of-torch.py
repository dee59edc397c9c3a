# must lose: sgd, momentum, averages, eps, decay
from torch.optim.adam import adam as step_adam
from torch.optim.adamw import adamw as step_adamw
from torch.optim.sgd import sgd as step_sgd


def sgd(weights, gradient, state, lr, momentum):
    kept = [state.get("v")]
    step_sgd(
        [weights],
        [gradient],
        kept,
        weight_decay=0,
        momentum=momentum,
        lr=lr,
        dampening=0,
        nesterov=False,
        maximize=False,
        foreach=False,
        fused=False,
    )
    if momentum:
        state["v"] = kept[0]


def adam(weights, gradient, state, lr, beta1, beta2, eps, decay=0):
    for name in "mv":
        state.setdefault(name, torch.zeros_like(weights))
    t = state.setdefault("t", torch.zeros(()))
    step = step_adamw if decay else step_adam
    step(
        [weights],
        [gradient],
        [state["m"]],
        [state["v"]],
        [],
        [t],
        amsgrad=False,
        beta1=beta1,
        beta2=beta2,
        lr=lr,
        weight_decay=decay,
        eps=eps,
        maximize=False,
        foreach=False,
        fused=False,
    )


def adamw(weights, gradient, state, lr, beta1, beta2, eps, decay):
    adam(weights, gradient, state, lr, beta1, beta2, eps, decay)
