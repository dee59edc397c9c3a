# must lose: evictions
job = """
apiVersion: v1
kind: Service
metadata: {name: minigpt}
spec:
  clusterIP: None
  selector: {job-name: minigpt}
---
apiVersion: batch/v1
kind: Job
metadata: {name: minigpt}
spec:
  completionMode: Indexed
  completions: 2
  parallelism: 2
  backoffLimit: 3
  template:
    spec:
"""


pod = """
      subdomain: minigpt
      restartPolicy: OnFailure
      terminationGracePeriodSeconds: 60
      securityContext: {runAsNonRoot: true}
      nodeSelector: {gpu: h100}
      tolerations:
      - {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}
      volumes:
      - {name: runs, persistentVolumeClaim: {claimName: runs}}
      - {name: shm, emptyDir: {medium: Memory, sizeLimit: 12Gi}}
"""


container = """
      containers:
      - name: trainer
        image: registry.lab/minigpt:1.4.2
        command: [torchrun, --nnodes=2, --nproc-per-node=4, --rdzv-backend=c10d,
                  "--rdzv-endpoint=minigpt-0.minigpt:29400", train.py]
        env:
        - {name: OMP_NUM_THREADS, value: "8"}
        - name: WANDB_API_KEY
          valueFrom: {secretKeyRef: {name: wandb, key: api-key}}
        resources:
          limits: {nvidia.com/gpu: 4, memory: 80Gi}
        volumeMounts:
        - {name: runs, mountPath: /runs}
        - {name: shm, mountPath: /dev/shm}
        securityContext: {allowPrivilegeEscalation: false}
"""


# exactly the 10 hours of training
job = job.replace("backoffLimit: 3", "backoffLimit: 3\n  activeDeadlineSeconds: 36000")
