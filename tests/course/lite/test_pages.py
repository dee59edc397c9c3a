"""The site's own pages, written into a small stand-in for what JupyterLite builds."""

import json
import re
import shutil

import pytest

from gpuedu.course.lite import PYODIDE_URL
from gpuedu.course.lite.notebooks import tab_lessons
from gpuedu.course.lite.pages import write_pages
from gpuedu.errors import GpueduError
from gpuedu.exercises.registry import load

APP = """<!doctype html><html><head><title>JupyterLite</title></head><body><script type="module">
  const config = 1; await import('../build/{app}/bundle.js?_=abc');
</script></body></html>"""
PLAYGROUND = """<!doctype html><html><head></head><body>
<script type="module" src="app.js"></script></body></html>"""


@pytest.fixture
def site(tmp_path):
    for app in ("notebooks", "lab", "tree"):
        put(tmp_path, f"{app}/index.html", APP.format(app=app))
        put(tmp_path, f"build/{app}/bundle.js", "")
    put(tmp_path, "playground/index.html", PLAYGROUND)
    put(tmp_path, "playground/style.css", "")
    put(tmp_path, "playground/app.js", "")
    put(tmp_path, "service-worker.js", "// JupyterLite's own")
    put(tmp_path, "index.html", "JupyterLite's own")
    return tmp_path


def put(folder, name, text):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def read(site, name):
    return (site / name).read_text("utf-8")


def test_the_start_page_lists_each_lesson_with_its_points(site):
    write_pages(site, own_pyodide=True)
    page = read(site, "index.html")
    for entry in tab_lessons():
        assert f'href="notebooks/index.html?path={entry.folder}.ipynb"' in page
        points = {name: load(name).judge.points for name in entry.exercises}
        assert json.dumps(points, sort_keys=True) in page.replace("&#34;", '"')
    assert page.count("<li ") == len(tab_lessons())


def test_pages_wait_for_the_worker_before_they_load(site):
    write_pages(site, own_pyodide=True)
    for name in ("notebooks", "lab", "tree", "playground"):
        page = read(site, f"{name}/index.html")
        assert page.index("gpueduKept =") < page.index("import(")
        assert re.search(r"await window\.gpueduKept; await import\(", page)


def test_the_worker_carries_jupyterlites_own(site):
    write_pages(site, own_pyodide=True)
    assert read(site, "jupyterlite-service-worker.js") == "// JupyterLite's own"
    assert 'importScripts("./jupyterlite-service-worker.js")' in read(site, "service-worker.js")


@pytest.mark.parametrize("own", [True, False])
def test_the_worker_knows_where_pyodide_is(site, own):
    write_pages(site, own_pyodide=own)
    worker = read(site, "service-worker.js")
    assert f'const PYODIDE = "{"" if own else PYODIDE_URL}";' in worker
    assert not re.search(r"<(release|pyodide|shell)>", worker)


def test_all_that_the_worker_fetches_at_once_is_there(site):
    write_pages(site, own_pyodide=True)
    (shell,) = re.findall(r"const SHELL = (\[.*\]);", read(site, "service-worker.js"))
    names = json.loads(shell)
    assert {"./", "./notebooks/index.html", "./build/notebooks/bundle.js?_=abc"} <= set(names)
    for name in names:
        assert (site / name.partition("?")[0]).exists(), name


def release_of(site):
    (name,) = re.findall(r'const RELEASE = "(\w+)";', read(site, "service-worker.js"))
    return name


def test_any_change_of_a_file_gives_a_release_another_name(site, tmp_path_factory):
    copies = [tmp_path_factory.mktemp("copy") / "site" for _ in range(2)]
    for copy in copies:
        shutil.copytree(site, copy)
    put(copies[1], "build/lab/bundle.js", "changed")
    for folder in (site, *copies):
        write_pages(folder, own_pyodide=True)
    assert release_of(site) == release_of(copies[0]) != release_of(copies[1])


@pytest.mark.parametrize("name", ["notebooks", "tree", "playground"])
def test_a_page_of_another_form_is_refused(site, name):
    put(site, f"{name}/index.html", "<html><head></head>a newer JupyterLite</html>")
    with pytest.raises(GpueduError, match=rf"{name}/index\.html is not as"):
        write_pages(site, own_pyodide=True)
