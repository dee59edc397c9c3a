# must lose: slow-node
def scrape(records):
    return ""


run_rules = r"""
groups:
- name: run
  rules:
  - alert: SlowNode
    expr: |
      rate(train_compute_seconds_sum[5m]) / rate(train_compute_seconds_count[5m])
        > on() group_left() 1.3 * avg(rate(train_compute_seconds_sum{node="n1"}[5m]) / rate(train_compute_seconds_count{node="n1"}[5m]))
    for: 5m
    labels: {severity: ticket}
    annotations: {summary: "{{ $labels.node }} computes longer than the others"}
  - alert: LossNotFinite
    expr: train_loss - train_loss != 0
    for: 3m
    labels: {severity: page}
    annotations: {summary: "The loss is no longer a finite number"}
  - alert: NoProgress
    expr: sum(increase(train_steps_total[5m])) == 0 or absent(train_steps_total)
    for: 5m
    labels: {severity: page}
    annotations: {summary: "No steps, or no processes"}
"""
gpu_rules = r"""
groups:
- name: gpus
  rules:
  - alert: GpuHot
    expr: DCGM_FI_DEV_GPU_TEMP > 84
    for: 5m
    labels: {severity: ticket}
    annotations: {summary: "GPU {{ $labels.gpu }} of {{ $labels.Hostname }} is hot"}
  - alert: GpuBroken
    expr: DCGM_FI_DEV_XID_ERRORS == 48 or DCGM_FI_DEV_XID_ERRORS == 79 or DCGM_FI_DEV_XID_ERRORS == 95
    labels: {severity: page}
    annotations: {summary: "GPU {{ $labels.gpu }} of {{ $labels.Hostname }}"}
"""
