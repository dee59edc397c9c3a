# The Job first, pods that are replaced, ranks by the index, and a shell.
job = """
apiVersion: batch/v1
kind: Job
metadata:
  name: gpt
  namespace: team-a
spec:
  completionMode: Indexed
  completions: 2
  parallelism: 2
  backoffLimit: 2
  podFailurePolicy:
    rules:
    - action: Ignore
      onPodConditions:
      - type: DisruptionTarget
  template:
    metadata:
      labels:
        app: "gpt"
    spec:
      restartPolicy: Never
      subdomain: "gpt-pods"
"""

pod = """      terminationGracePeriodSeconds: 300
      nodeSelector:
        gpu: h100
      tolerations:
      - key: "nvidia.com/gpu"
        operator: "Equal"
        value: "present"
        effect: "NoSchedule"
      volumes:
      - name: dshm
        emptyDir:
          medium: "Memory"
          sizeLimit: "20Gi"
      - name: runs
        persistentVolumeClaim:
          claimName: runs
"""

container = """      containers:
      - name: main
        image: "registry.lab:5000/minigpt:1.4.2"
        command: ["/bin/bash", "-c"]
        args:
        - |
          set -e
          echo "pod $JOB_COMPLETION_INDEX"
          torchrun --nnodes 2 --nproc_per_node gpu \\
            --node_rank $JOB_COMPLETION_INDEX \\
            --master_addr "$MASTER_ADDR" --master_port=$(MASTER_PORT) train.py
        env:
        - {name: MASTER_ADDR, value: gpt-0.gpt-pods.team-a.svc.cluster.local}
        - {name: MASTER_PORT, value: "23456"}
        - name: WANDB_API_KEY
          valueFrom: {secretKeyRef: {name: wandb, key: api-key}}
        resources:
          limits:
            nvidia.com/gpu: "4"
            memory: 100G
          requests:
            memory: 100G
        securityContext:
          runAsNonRoot: true
          allowPrivilegeEscalation: false
        volumeMounts:
        - name: dshm
          mountPath: "/dev/shm"
        - name: runs
          mountPath: /runs
---
apiVersion: v1
kind: Service
metadata: {name: gpt-pods, namespace: team-a}
spec:
  clusterIP: "None"
  selector: {app: gpt, batch.kubernetes.io/job-name: gpt}
  ports:
  - {name: rendezvous, port: 23456}
"""
