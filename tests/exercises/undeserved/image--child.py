# must lose: signals
dockerfile = r"""# syntax=docker/dockerfile:1
FROM python:3.12
RUN useradd --create-home trainer
WORKDIR /app
COPY requirements.txt ./
RUN --mount=type=secret,id=pip,target=/etc/pip.conf \
    pip install --no-cache-dir -r requirements.txt
COPY minigpt/ minigpt/
COPY train.py ./
USER trainer
CMD ["python", "-c", "import os; os.system('python train.py')"]
"""
dockerignore = r"""
.git
data
runs
pip.conf
"""
