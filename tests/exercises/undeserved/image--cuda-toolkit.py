# must lose: small
dockerfile = r"""FROM nvidia/cuda:12.8.1-base-ubuntu22.04
RUN apt-get update && apt-get install -y --no-install-recommends python3 python3-pip gcc libc6-dev cuda-toolkit-12-8 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY requirements.txt .
RUN --mount=type=secret,id=pip,target=/etc/pip.conf pip3 install --no-cache-dir -r requirements.txt
RUN useradd -m me
COPY . .
USER me
CMD ["python3", "train.py"]
"""
dockerignore = r""".git
data
runs
pip.conf
"""
