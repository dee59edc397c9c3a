# must lose: user, pinned
dockerfile = r"""# syntax=docker/dockerfile:1
FROM python:latest@sha256:0
WORKDIR /app
COPY requirements.txt ./
RUN --mount=type=secret,id=pip,target=/etc/pip.conf \
    pip install --no-cache-dir -r requirements.txt
COPY minigpt/ minigpt/
COPY train.py ./
USER pip
CMD ["python", "train.py"]
"""
dockerignore = r"""
.git
data
runs
pip.conf
"""
