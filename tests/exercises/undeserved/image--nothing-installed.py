# must lose: program, cached, small, secret
dockerfile = r"""# syntax=docker/dockerfile:1
FROM python:3.12
RUN useradd --create-home trainer
WORKDIR /app
COPY . .
RUN --mount=type=secret,id=pip,target=/etc/pip.conf \
    cat requirements.txt && pip install --no-cache-dir --help
USER trainer
CMD ["python", "train.py"]
"""
dockerignore = r"""
.git
data
runs
pip.conf
"""
