# must lose: program
dockerfile = r"""FROM python:3.12-slim
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY requirements.txt .
RUN --mount=type=secret,id=pip,target=/etc/pip.conf pip install --target /libs --no-cache-dir -r requirements.txt
RUN useradd -m me
COPY . .
USER me
CMD ["python", "train.py"]
"""
dockerignore = r""".git
data
runs
pip.conf
"""
