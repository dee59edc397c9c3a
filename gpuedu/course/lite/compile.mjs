// Compiles the archives of a folder with the Python that a tab has:
//   node compile.mjs FOLDER SCRIPT                            all modules, with npm's Pyodide
//   node compile.mjs FOLDER SCRIPT PYODIDE PACKAGES MODULES   with that folder's Pyodide and packages,
//                                                             what importing these modules brings
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, script, pyodide, packages = "", modules = ""] = process.argv.slice(2);
const { loadPyodide } = await import(pyodide ? pathToFileURL(`${pyodide}/pyodide.mjs`) : "pyodide");
const python = await loadPyodide(pyodide && { indexURL: `${pyodide}/` });
const names = packages.split(" ").filter(Boolean);
await python.loadPackage(names, { messageCallback: () => {}, errorCallback: console.error });
python.FS.mkdirTree("/archives");
python.FS.mount(python.FS.filesystems.NODEFS, { root: folder }, "/archives");
python.globals.set("MODULES", modules);
python.runPython(readFileSync(script, "utf8"));
