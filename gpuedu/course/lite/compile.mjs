// Compiles the wheels of a folder with the Python that the tab has: node compile.mjs FOLDER SCRIPT
import { readFileSync } from "node:fs";
import { loadPyodide } from "pyodide";

const [folder, script] = process.argv.slice(2);
const python = await loadPyodide();
python.FS.mkdirTree("/wheels");
python.FS.mount(python.FS.filesystems.NODEFS, { root: folder }, "/wheels");
python.runPython(readFileSync(script, "utf8"));
