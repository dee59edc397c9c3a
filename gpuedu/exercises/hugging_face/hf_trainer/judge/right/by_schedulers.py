# PyTorch's own scheduler, defaults in a dict, gradients cleared after the update.
DEFAULTS = {
    "num_train_epochs": 3,
    "gradient_accumulation_steps": 1,
    "learning_rate": 5e-5,
    "warmup_steps": 0,
    "weight_decay": 0,
    "max_grad_norm": 1,
}


def own_loop(model, batches, options, log):
    o = DEFAULTS | options
    size = o["gradient_accumulation_steps"]
    updates = o["num_train_epochs"] * -(-len(batches) // size)
    spared = {id(p) for m in model.modules() if isinstance(m, nn.LayerNorm) for p in m.parameters()}
    spared |= {id(p) for name, p in model.named_parameters() if "bias" in name}
    optimizer = torch.optim.AdamW(
        [
            {"params": [p], "weight_decay": 0 if id(p) in spared else o["weight_decay"]}
            for p in model.parameters()
        ],
        lr=o["learning_rate"],
        foreach=False,
    )
    rise, fall = o["warmup_steps"], updates - o["warmup_steps"]
    scheduler = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda k: min(k / rise if rise else 1.0, (updates - k) / fall)
    )
    for _ in range(o["num_train_epochs"]):
        for first in range(0, len(batches), size):
            group = batches[first : first + size]
            items = sum(int(batch["labels"].ne(-100).sum()) for batch in group)
            parts = [model(**batch, num_items_in_batch=items)["loss"] for batch in group]
            loss = sum(parts)
            loss.backward()
            if o["max_grad_norm"]:
                torch.nn.utils.clip_grad_norm_(model.parameters(), o["max_grad_norm"])
            optimizer.step()
            rate = scheduler.get_last_lr()[0]
            scheduler.step()
            optimizer.zero_grad()
            log(loss.detach(), rate)
