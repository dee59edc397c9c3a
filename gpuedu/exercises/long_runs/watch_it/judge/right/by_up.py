# Whole sums compared, targets that are down, and two groups.
def scrape(records):
    registry = CollectorRegistry()
    common = dict(labelnames=("node",), registry=registry)
    made = {
        "n": Counter("train_steps_total", "n", **common),
        "t": Counter("train_tokens_total", "t", **common),
        "l": Gauge("train_loss", "l", **common),
        "m": Gauge("train_memory_bytes", "m", **common),
        "c": Histogram("train_compute_seconds", "c", buckets=(0.25, 0.5, 1, 2, 4, 8), **common),
    }
    for one in records:
        mine = {key: metric.labels(one["node"]) for key, metric in made.items()}
        mine["n"].inc(1)
        mine["t"].inc(one["tokens"])
        mine["c"].observe(one["compute_ms"] / 1e3)
        mine["l"].set(one["loss"])
        mine["m"].set(one["memory_mib"] * 1024 * 1024)
    return generate_latest(registry)


gpu_rules = """
groups:
- name: gpus
  rules:
  # ### BEGIN SOLUTION
  - alert: GpuHot
    expr: avg_over_time(DCGM_FI_DEV_GPU_TEMP[5m]) > 83
    for: 4m
    labels: {severity: ticket}
    annotations:
      summary: 'GPU {{ $labels.gpu }} in {{ $labels.Hostname }} has {{ $value }} degrees'
  - alert: GpuBroken
    expr: (DCGM_FI_DEV_XID_ERRORS == 48) or (DCGM_FI_DEV_XID_ERRORS == 79) or DCGM_FI_DEV_XID_ERRORS == 95
    for: 1m
    labels: {severity: page}
    annotations:
      summary: 'GPU {{ $labels.gpu }} in {{ $labels.Hostname }} is broken'
  # ### END SOLUTION
"""

run_rules = """
groups:
- name: run
  rules:
  # ### BEGIN SOLUTION
  - alert: SlowNode
    expr: |
      increase(train_compute_seconds_sum[4m]) > on() group_left()
        1.2 * avg(increase(train_compute_seconds_sum[4m]))
    for: 6m
    labels: {severity: page}
    annotations: {summary: 'look at {{ $labels.node }}'}
  - alert: LossNotFinite
    expr: (train_loss != train_loss) or (train_loss == Inf) or (train_loss == -Inf)
    for: 2m
    labels: {severity: page}
    annotations: {summary: 'loss'}
  - alert: NoProgress
    expr: |
      sum(rate(train_steps_total[2m])) == 0
        or sum(up{job="train"}) == 0
    for: 6m
    labels: {severity: page}
    annotations: {summary: 'stuck'}
  # ### END SOLUTION
"""
