# A PyTorchJob, whose operator makes the Services and tells torchrun where to meet.
_POD = """
          securityContext:
            runAsUser: 1000
          terminationGracePeriodSeconds: 180
          affinity:
            nodeAffinity:
              requiredDuringSchedulingIgnoredDuringExecution:
                nodeSelectorTerms:
                - matchExpressions:
                  - {key: gpu, operator: In, values: [h100]}
          tolerations: [{operator: Exists}]
          volumes:
          - name: shm
            emptyDir: {medium: Memory, sizeLimit: 16Gi}
          - name: checkpoints
            persistentVolumeClaim: {claimName: runs}
          containers:
          - name: pytorch
            image: registry.lab/minigpt@sha256:__DIGEST__
            command: ["bash", "-c"]
            args:
            - exec torchrun train.py
            env:
            - name: WANDB_API_KEY
              valueFrom:
                secretKeyRef: {key: api-key, name: wandb}
            resources:
              requests: {nvidia.com/gpu: "4", memory: 81Gi, cpu: "32"}
              limits: {nvidia.com/gpu: "4", memory: 81Gi}
            securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
            volumeMounts:
            - {name: shm, mountPath: /dev/shm/}
            - {name: checkpoints, mountPath: /runs}
""".replace("__DIGEST__", "0" * 64)
_HEAD = """
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata:
  name: minigpt
spec:
  nprocPerNode: "4"
  runPolicy: {backoffLimit: 10, cleanPodPolicy: Running}
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      restartPolicy: OnFailure
      template:
        spec:"""
_WORKER = """
    Worker:
      replicas: 1
      restartPolicy: OnFailure
      template:
        spec:"""

job = _HEAD + _POD + _WORKER + _POD
pod = ""
container = ""
