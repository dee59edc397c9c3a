"""Pages that others open, made of hostile submissions: feedback, and the formgrader's."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import pytest
from nbconvert.filters.markdown import markdown2html
from nbformat import v4

from tests.grading.classroom import LESSON, answered, hand_in, make_course, nbgrader
from tests.sampled import only_whole

EVIL = "https://evil.example/x.png"
TEXTS = {
    "script": "<script>alert(1)</script>",
    "handler": "<img src=x onerror=alert(1)> <b onclick='alert(1)'>b</b>",
    "url": "[x](javascript:alert(1)) <javascript:alert(1)> <a href=' jAvAsCrIpT:alert(1)'>x</a>",
    "reference": "[x]\n\n[x]: javascript:alert(1)\n",
    "data": "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "image": f"![x]({EVIL}) <img src='{EVIL}'> <svg><image href='{EVIL}'/></svg>",
    "style": f"<style>*{{background:url({EVIL})}}</style><div style='background:url({EVIL})'>x</div>",
    "frame": f"<iframe src='{EVIL}'></iframe><object data='{EVIL}'></object><embed src='{EVIL}'>",
    "page": f"<meta http-equiv=refresh content='0;{EVIL}'><base href='{EVIL}'><link rel=stylesheet href='{EVIL}'>",
    "form": f"<form action='{EVIL}'><button formaction='javascript:alert(1)'>x</button></form>",
    "math": r"$\href{javascript:alert(1)}{x}$ $$\require{html}\style{background:red}{x}$$",
    "fence": "```\n</pre></code><script>alert(1)</script>\n```\n    </pre><script>alert(1)</script>",
    "broken": "<scr<script>ipt>alert(1)</scr</script>ipt><!-- --><![CDATA[<script>alert(1)</script>]]>",
    "attachment": "![x](attachment:x.svg)",
}
ATTACHED = {
    "x.svg": {"image/svg+xml": "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"}
}
CODE = "\n".join(f"# {text}" for text in "\n".join(TEXTS.values()).splitlines())
RAISES = (
    'raise ValueError("<script>alert(1)</script> <img src=x onerror=alert(1)> '
    '`</code><script>alert(1)</script>` $\\\\href{javascript:alert(1)}{x}$")'
)


class Page(HTMLParser):
    """What of a page a browser acts on, and its text."""

    def __init__(self, text):
        super().__init__()
        self.acts, self.text, self.math, self._open = [], "", "", []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag in ("script", "iframe", "object", "embed", "base", "form", "link", "style", "svg"):
            self.acts.append((tag, given.get("src") or given.get("href")))
        if tag == "meta" and "http-equiv" in given:
            self.acts.append((tag, given["http-equiv"]))
        for name, value in given.items():
            value = (value or "").strip().lower()
            if name.startswith("on") or name in ("formaction", "srcdoc", "background"):
                self.acts.append((tag, name))
            if name in ("href", "src", "srcset", "data", "poster") and not value.startswith("#"):
                self.acts.append((tag, name, value))
            if name == "style" and "url" in value:
                self.acts.append((tag, name, value))
        skips = tag in ("pre", "code", "style", "script") or "tex2jax_ignore" in given.get(
            "class", ""
        )
        if tag not in ("meta", "link", "img", "br", "hr", "input"):
            self._open.append((tag, skips))

    def handle_endtag(self, tag):
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        self.text += data
        if not any(skips for _, skips in self._open):
            self.math += data  # where MathJax looks for formulas


@pytest.fixture(scope="module")
def pages(tmp_path_factory, zygote):
    """The feedback for a harmless submission, and that for a hostile one."""
    folder = make_course(tmp_path_factory.mktemp("class"))
    nbgrader(folder, "generate_assignment", LESSON)
    hand_in(folder, "harmless", answered(folder, "first-check"))
    path = hand_in(folder, "hostile", hostile(answered(folder, "first-check")))
    spoil(path)
    nbgrader(folder, "autograde", LESSON)
    nbgrader(folder, "generate_feedback", LESSON)
    return {
        who: (folder / "feedback" / who / LESSON / f"{LESSON}.html").read_text("utf-8")
        for who in ("harmless", "hostile")
    }


def hostile(notebook):
    """Hostile texts in cells of every type, in released cells, in code, errors and outputs."""
    for name, text in TEXTS.items():
        cell = v4.new_markdown_cell(text, attachments=ATTACHED)
        raw = v4.new_raw_cell(text, metadata={"raw_mimetype": "text/html", "format": "text/html"})
        code = v4.new_code_cell(CODE)
        data = {"text/html": text, "application/javascript": "alert(1)", "image/svg+xml": text}
        code.outputs = [v4.new_output("display_data", data=data)]
        for one, kind in ((cell, "text"), (raw, "raw"), (code, "code")):
            one.id = f"own-{kind}-{name}"
            notebook.cells.append(one)
    released = [cell for cell in notebook.cells if cell.id.startswith("text")] or notebook.cells
    for cell in released[:3]:
        if cell.cell_type == "markdown":
            cell.source += f"\n\n{TEXTS['script']} {TEXTS['url']} {TEXTS['math']}"
    for cell in notebook.cells:
        role = cell.metadata.get("gpuedu", {}).get("role")
        if role == "answer" and cell.metadata["gpuedu"]["exercise"] != "first-check":
            cell.source = f"{CODE}\n{RAISES}\n"
        if role in ("check", "setup"):
            cell.outputs = [v4.new_output("display_data", data={"text/html": TEXTS["script"]})]
    notebook.metadata["title"] = "</title><script>alert(1)</script>"
    notebook.metadata["language_info"] = {"name": "python", "pygments_lexer": "html"}
    state = {"</script><script>alert(1)</script>": {"model_name": "x", "state": {}}}
    widgets = {"application/vnd.jupyter.widget-state+json": {"state": state, "version_major": 2}}
    notebook.metadata["widgets"] = widgets
    return notebook


def spoil(path):
    """What nbformat would not write: an id and a name that are markup."""
    plain = json.loads(path.read_text("utf-8"))
    for place, name in enumerate(TEXTS):
        plain["cells"].append(
            {
                "cell_type": "code",
                "id": f'"><script>alert({place})</script>',
                "metadata": {"tags": [f'"><img src=x onerror=alert("{name}")>']},
                "source": "def steal(): pass",
                "outputs": [],
                "execution_count": None,
            }
        )
    path.write_text(json.dumps(plain))


@only_whole
def test_a_hostile_page_does_nothing_that_a_harmless_one_does_not(pages):
    harmless, hostile_page = Page(pages["harmless"]), Page(pages["hostile"])
    assert ("script", None) in harmless.acts  # the template's own
    assert set(hostile_page.acts) <= set(harmless.acts)
    assert hostile_page.acts.count(("script", None)) == harmless.acts.count(("script", None))


def test_texts_are_shown_as_they_were_written(pages):
    text = Page(pages["hostile"]).text
    for name, wanted in TEXTS.items():
        assert wanted in text, name
    assert "Repaired before grading" in text


def test_no_formula_of_a_learners_is_typeset(pages):
    assert "javascript" not in Page(pages["hostile"]).math
    assert "Repaired before grading" in Page(pages["hostile"]).math  # the parser finds something


def test_the_parser_of_this_test_finds_each_attack():
    for name, text in TEXTS.items():
        if name == "attachment":  # one that is missing would stop nbconvert
            continue
        page = Page(markdown2html(text))
        if name == "math":
            assert "javascript" in page.math
        elif name not in ("broken", "fence"):
            assert page.acts, name
