# must lose: decay
def options(wanted):
    share = wanted["batch"] // wanted["devices"]
    piece = max(n for n in range(1, wanted["fits"] + 1) if share % n == 0)
    capability, shape = wanted["capability"], wanted["shape"]
    chosen = {
        "per_device_train_batch_size": piece,
        "gradient_accumulation_steps": share // piece,
        "bf16": capability is not None and capability >= 8,
        "fp16": capability is not None and capability < 8,
        "max_steps": wanted["updates"],
        "learning_rate": wanted["rate"],
        "warmup_steps": wanted["warmup"],
        "lr_scheduler_type": "constant_with_warmup" if shape == "constant" else shape,
        "max_grad_norm": wanted["clip"] or 0,
        "weight_decay": wanted["decay"],
        "seed": wanted["seed"],
        "logging_steps": wanted["log_every"],
    }
    chosen |= {"eval_strategy": "steps", "eval_steps": wanted["evaluate_every"]}
    if not wanted["save_every"]:
        return chosen | {"save_strategy": "no"}
    return chosen | {"save_steps": wanted["save_every"], "save_total_limit": wanted["keep"]}


def parameter_groups(model, weight_decay):
    decayed, free = [], []
    norms = [n for n, m in model.named_modules() if "Norm" in type(m).__name__]
    for name, p in model.named_parameters():
        is_free = "bias" in name or any(name.startswith(n) for n in norms)
        (free if is_free else decayed).append(p)
    return [
        {"params": decayed, "weight_decay": weight_decay},
        {"params": free, "weight_decay": 0.0},
    ]


def share_of_rate(update, warmup, updates):
    """The factor on the highest rate in an update; the first one is update 0."""
    if update < warmup:
        return update / warmup
    return (updates - update) / (updates - warmup)


def own_loop(model, batches, options, log):
    size, epochs = options.get("gradient_accumulation_steps", 1), options.get("num_train_epochs", 3)
    peak, warmup = options.get("learning_rate", 5e-5), options.get("warmup_steps", 0)
    max_norm, decay = options.get("max_grad_norm", 1.0), options.get("weight_decay", 0.0)
    optimizer = torch.optim.AdamW(parameter_groups(model, decay), lr=peak)
    groups = [batches[first : first + size] for first in range(0, len(batches), size)]
    for update, group in enumerate(groups * epochs):
        items = sum((batch["labels"] != -100).sum() for batch in group)
        optimizer.zero_grad()
        loss = 0.0
        for batch in group:
            part = model(**batch, num_items_in_batch=items)["loss"]
            part.backward()
            loss += part.item()
        if max_norm > 0:
            nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        rate = peak * share_of_rate(update, warmup, len(groups) * epochs)
        for one in optimizer.param_groups:
            one["lr"] = rate
        optimizer.step()
        log(loss, rate)
