# NVIDIA's image, whose Python belongs to the system, with an environment beside it.
dockerfile = r"""FROM nvidia/cuda:12.8.1-base-ubuntu24.04
RUN set -eux; \
    apt-get update; \
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        gcc libc6-dev python3-dev python3-venv; \
    rm -rf /var/lib/apt/lists/*; \
    python3 -m venv /opt/venv
WORKDIR /workspace
COPY requirements.txt /tmp/
RUN --mount=type=secret,id=pip,target=/etc/pip.conf,required=true \
    /opt/venv/bin/pip install --no-cache-dir -r /tmp/requirements.txt
COPY --link minigpt/*.py minigpt/
COPY --link train.py /workspace/train.py
USER ubuntu
CMD exec /opt/venv/bin/python train.py
"""

dockerignore = ".git/\ndata/\nruns/\npip.conf\n"
