// Run a Python script in Pyodide under Node: `node run.mjs REQUEST`, where REQUEST is JSON with
// pyodide (its folder), packages (loaded from there), mounts ({path in the tab: folder here}),
// environment, path (put before sys.path), before (Python that may await, run first), script and
// arguments. Ends with the script's status.
import { pathToFileURL } from "node:url";

const request = JSON.parse(process.argv[2]);
const folder = request.pyodide.replace(/\/?$/, "/");
const { loadPyodide } = await import(pathToFileURL(folder + "pyodide.mjs"));

const python = await loadPyodide({ indexURL: folder, env: request.environment });
await python.loadPackage(request.packages, { messageCallback: () => {} });
for (const [path, root] of Object.entries(request.mounts)) {
  python.FS.mkdirTree(path);
  python.FS.mount(python.FS.filesystems.NODEFS, { root }, path);
}
python.runPython(`
def set_up(path):
    import sys

    sys.dont_write_bytecode = True
    sys.path[:0] = path

set_up`)(python.toPy(request.path));
await python.runPythonAsync(request.before);
const start = python.runPython(`
def start(script, arguments):
    import runpy, sys

    sys.argv = [script, *arguments]
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        import traceback

        traceback.print_exc()
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 0

start`);
process.exitCode = start(request.script, python.toPy(request.arguments));
