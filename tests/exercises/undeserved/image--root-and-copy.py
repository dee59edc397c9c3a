# must lose: small, user, secret, signals
dockerfile = r"""# syntax=docker/dockerfile:1
FROM python:3.12-slim AS build
WORKDIR /app
COPY . .
RUN apt-get update && apt-get install -y gcc libc6-dev
RUN --mount=type=secret,id=pip,target=/etc/pip.conf pip install -r requirements.txt
FROM python:3.12-slim
RUN apt-get update && apt-get install -y gcc libc6-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=build / /
USER 00
CMD ["env", "sh", "-c", "python train.py; echo done"]
"""
dockerignore = r"""
.git
data
runs
"""
