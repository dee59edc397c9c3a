"""What a source may not ask of the compiler; and that nothing of a file gets into an error."""

from __future__ import annotations

import subprocess

import pytest

from gpuedu.compilers import CudaCError, check_cuda_c, nvrtc, ptxas
from gpuedu.compilers.nvrtc_guard import require_harmless

KERNEL = 'extern "C" __global__ void k(float* a) { a[0] = 1; }\n'
ESCAPES = {
    "absolute": '#include "{}"',
    "angle": "#include <{}>",
    "no space": "#include<{}>",
    "spaces": '  #  include\t"{}"',
    "vertical tab": '#\x0binclude "{}"',
    "form feed": '#include\x0c"{}"',
    "comment": '#/* */include/**/"{}"',
    "long comment": '/*\n*/ # /*\n\n*/ include "{}"',
    "splice": '#inc\\\nlude "{}"',
    "splice with a return": '#inc\\\r\nlude "{}"',
    "spliced name": '#include "\\\n{}"',
    "splice in a comment": '#/\\\n* *\\\n/include "{}"',
    "digraph": '%:include "{}"',
    "trigraph": '??=include "{}"',
    "trigraph splice": '#inc??/\nlude "{}"',
    "computed": '#define F "{}"\n#include F',
    "computed angle": "#define F <{}>\n#include F",
    "next": '#include_next "{}"',
    "import": '#import "{}"',
    "embed": 'const char t[] = {{\n#embed "{}"\n}};',
    "question": '#if __has_include("{}")\n#endif',
    "question in angles": "#if __has_include ( <{}> )\n#endif",
    "after a return": 'int x;\r#include "{}"',
    "byte order mark": '\ufeff#include "{}"',
    "control character": '\x01\x1a#include "{}"',
    "after a raw text": 'const char* s = R"(\\\n)";/*\n)";\n#include "{}"\n//*/',
    "in a macro's shadow": '#define S "/*"\n#include "{}"\n#define E "*/"',
}


@pytest.fixture
def secret(tmp_path):
    """A file that no message may quote."""
    path = tmp_path / "secret"
    path.write_text("hunter2 is the password\n", "utf-8")
    return path


@pytest.mark.parametrize("way", ESCAPES.values(), ids=ESCAPES)
@pytest.mark.parametrize("is_relative", [False, True], ids=["absolute", "relative"])
def test_files_cannot_be_included(way, secret, is_relative, monkeypatch, tmp_path):
    monkeypatch.setattr(nvrtc, "compile_text", lambda *_: pytest.fail("the compiler was asked"))
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    name = "../secret" if is_relative else secret
    with pytest.raises(CudaCError) as caught:
        check_cuda_c(way.format(name) + "\n" + KERNEL)
    assert "hunter2" not in str(caught.value) + caught.value.details


@pytest.mark.usefixtures("nvrtc_compiler")
def test_a_file_beside_the_program_is_not_found(secret, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for name in ('"secret"', "<secret>"):
        with pytest.raises(CudaCError, match=r"(could not|cannot) open") as caught:
            check_cuda_c(f"#include {name}\n{KERNEL}")
        assert "hunter2" not in caught.value.details


@pytest.mark.usefixtures("nvrtc_compiler")
@pytest.mark.parametrize(
    "text",
    [
        '#\rinclude "{}"',
        'int x; #include "{}"',
        'const char* s = R"(\n)"; #include "{}"',
        '%#include "{}"',
        '#\\ \ninclude "{}"',
        '#\\u0069nclude "{}"',
        '#define HASH #\nHASH include "{}"',
        "#include '{}'",
        '#include R"({})"',
    ],
)
def test_what_the_guard_takes_for_no_directive_is_none_for_the_compiler(text, secret):
    with pytest.raises(CudaCError) as caught:
        check_cuda_c(f"{KERNEL}{text.format(secret)}\n")
    assert "hunter2" not in caught.value.details


@pytest.mark.usefixtures("nvrtc_compiler")
def test_a_line_directive_shows_no_other_file(secret):
    with pytest.raises(CudaCError) as caught:
        check_cuda_c(f'#line 1 "{secret}"\n__global__ void k() {{ zz; }}\n')
    assert caught.value.errors[0].text == "__global__ void k() { zz; }"
    assert "hunter2" not in caught.value.details


@pytest.mark.parametrize(
    "harmless",
    [
        "#include <cuda_fp16.h>\n",
        '#include "cupy/complex.cuh"\n',
        "#include <cuda/std/cstdint>\n#include <cooperative_groups/memcpy_async.h>\n",
        "// #include <iostream>\n",
        "#if __has_include(<mma.h>)\n#endif\n",
        "#define includes 3\n#line 4\n#pragma unroll\n",
        '#ifdef __has_include\n#endif\nconst char* s = "/etc/passwd";\n',
        "x = a % b; // 50 %: include\n// no #include here\n",
    ],
)
def test_headers_of_cuda_and_cupy_may_be_included(harmless):
    require_harmless(harmless)


def test_the_refusal_names_the_line_of_the_source():
    code = 'int a;\r\n/* two\n lines */ int b \\\n = 3;\n#include "../x.h"\n'
    with pytest.raises(CudaCError) as caught:
        require_harmless(code)
    (error,) = caught.value.errors
    assert (error.line, error.text) == (5, '#include "../x.h"')


@pytest.mark.parametrize(
    "option",
    [
        *("-I/etc", "--include-path=/etc", "-include=/etc/passwd", "--pre-include=/etc/passwd"),
        *("-create-pch=/tmp/x", "--pch-dir=/tmp", "--time=/tmp/x", "-fdevice-time-trace=/tmp/x"),
        *("--options-file", "-optf=/etc/passwd", "@/etc/passwd", "-Xptxas=--options-file=/etc/p"),
        *("-arch=sm_75", "-dlto", "", "-DX=1\n#include </etc/passwd>", "/etc/passwd"),
    ],
)
def test_options_that_lead_to_files_are_refused(option):
    with pytest.raises(CudaCError, match="option"):
        require_harmless(KERNEL, (option,))


@pytest.mark.parametrize(
    "options",
    [
        *(("-std=c++11",), ("--std=c++17", "-DTILE=16"), ("-D", "TILE=16"), ("--use_fast_math",)),
        *(("-lineinfo",), ("--maxrregcount=32",), ("-DNAME(x)=x+1", "-UNAME"), ("-Xptxas=-v",)),
        *(("-U", "NAME"), ("-diag-suppress=177",), ("-fmad=false", "-prec-div=true")),
    ],
)
def test_usual_options_are_not(options):
    require_harmless(KERNEL, options)


@pytest.mark.parametrize(
    "name", ["", "k\n#include </etc/passwd>", 'k); __has_include("/etc/passwd"', "%:include"]
)
def test_name_expressions_name_kernels_only(name):
    with pytest.raises(CudaCError, match="name expression"):
        require_harmless(KERNEL, (), (name,))
    require_harmless(KERNEL, (), ("scale<float, 4>", "&mine::scale<complex<float>>"))


@pytest.mark.usefixtures("compiler")
def test_the_assembler_reads_no_file_for_inline_assembly(secret):
    ptx = nvrtc.compile_cuda_c(
        f'extern "C" __global__ void k(float* a) {{ asm volatile(".incbin \\"{secret}\\";"); }}'
    ).ptx
    done = subprocess.run(
        [ptxas.find_ptxas(), "-arch=sm_90", "-o", "/dev/null", "/dev/stdin"],
        input=ptx,
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode != 0
    assert "hunter2" not in done.stdout + done.stderr
