// Python in a worker: loads Pyodide and the machine once, then answers questions one by one.

let pyodide = null;
let tab = null;

const tell = (stage) => postMessage({ stage });

async function start({ pyodide: address, archive }) {
  tell("Loading Python…");
  const bytes = fetch(archive).then((answer) => {
    if (!answer.ok) throw new Error(`${archive}: ${answer.status}`);
    return answer.arrayBuffer();
  });
  bytes.catch(() => {});
  const { loadPyodide } = await import(new URL("pyodide.mjs", address).href);
  pyodide = await loadPyodide({
    indexURL: address,
    packages: ["numpy"],
    env: { HOME: "/home/pyodide", MPLBACKEND: "AGG", PYTHONDONTWRITEBYTECODE: "1" },
  });
  tell("Loading the machine…");
  pyodide.unpackArchive(await bytes, "zip", { extractDir: "/machine" });
  tab = pyodide.runPython(`
import sys
sys.path.insert(0, "/machine")
from gpuedu.playground.tab import Tab
Tab()
`);
}

async function answer(question) {
  if (question.ask === "figure") await pyodide.loadPackage(["matplotlib"]).catch(() => {});
  return JSON.parse(tab.answer(JSON.stringify(question)));
}

onmessage = async ({ data }) => {
  try {
    if (data.start) {
      await start(data.start);
      postMessage({ ready: true });
      return;
    }
    postMessage({ number: data.number, answer: await answer(data.question) });
  } catch (fault) {
    postMessage({ number: data.number, failed: String(fault?.message ?? fault) });
  }
};
