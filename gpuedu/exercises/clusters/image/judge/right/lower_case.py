# Heredocs, caches that outlive the build, and a command in two parts.
dockerfile = r"""# syntax=docker/dockerfile:1
# escape=\
arg PYTHON=3.11
from python:${PYTHON}-slim as base

shell ["/bin/bash", "-eo", "pipefail", "-c"]
run --mount=type=cache,target=/var/cache/apt,sharing=locked \
    --mount=type=cache,target=/var/lib/apt,sharing=locked \
    <<EOF
rm -f /etc/apt/apt.conf.d/docker-clean
apt-get update
apt-get install -y --no-install-recommends gcc libc6-dev
EOF

copy ["requirements.txt", "/srv/train/"]
run --mount=type=cache,target=/root/.cache/pip \
    --mount=type=secret,id=pip,target=/root/.config/pip/pip.conf \
    # all of them at once

    python -m pip install --requirement=/srv/train/requirements.txt

workdir /srv/train
copy minigpt ./minigpt
copy train.py .
user nobody
entrypoint ["python"]
cmd ["train.py"]"""

dockerignore = "**/.git\n/data/\nruns/**\n*.conf\n"
