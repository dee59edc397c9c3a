// The start page: what this browser can do, where the learner stands, and the learner's work as a file.
import { all, openCourse } from "./database.mjs";
import { UnusableFile, pack, unpack } from "./work.mjs";

const ROOT = new URL("..", import.meta.url).pathname;
const byId = (name) => document.getElementById(name);

const tell = (text) => {
  byId("told").textContent = text;
};

const warn = (text) => {
  byId("problem").textContent = text;
  byId("problem").hidden = false;
};

const best = (texts) => {
  const points = new Map();
  for (const text of texts) {
    const { kind, name, body } = JSON.parse(text);
    if (kind === "attempt") points.set(name, Math.max(points.get(name) ?? 0, body.points));
  }
  return points;
};

const showProgress = async () => {
  const points = best((await all(await openCourse(), "events")).map(([, text]) => text));
  for (const row of document.querySelectorAll("li[data-exercises]")) {
    const exercises = Object.entries(JSON.parse(row.dataset.exercises));
    if (!exercises.some(([name]) => points.has(name))) continue;
    const sum = (values) => values.reduce((one, other) => one + other, 0);
    const earned = sum(exercises.map(([name, most]) => Math.min(points.get(name) ?? 0, most)));
    const most = sum(exercises.map(([, value]) => value));
    const shown = row.querySelector(".points");
    shown.textContent = `${+earned.toFixed(1)} of ${most} points`;
    shown.classList.toggle("full", earned === most);
  }
};

const many = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

const save = async () => {
  const { text, events, notebooks } = await pack(ROOT);
  if (!events && !notebooks) {
    tell("There is nothing to save yet: open a lesson, and check an answer.");
    return;
  }
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = `gpuedu-work-${new Date().toISOString().slice(0, 10)}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  tell(`Saved ${many(notebooks, "notebook")} and ${many(events, "step")} of progress in ${link.download}.`);
};

const load = async (file) => {
  try {
    const { events, notebooks, both } = await unpack(await file.text(), ROOT);
    const beside = both.length
      ? ` Here in another state already: ${both.join(", ")}. Both are kept: the older one is named “other”.`
      : "";
    tell(`Loaded ${many(notebooks, "notebook")} and ${many(events, "new step")} of progress.${beside}`);
    await showProgress();
  } catch (fault) {
    tell(fault instanceof UnusableFile ? fault.message : `The file could not be loaded: ${fault.message}`);
  }
};

const start = async () => {
  if (typeof WebAssembly !== "object") {
    warn("This browser has no WebAssembly, which runs Python here. Use a current Firefox, Chrome, Edge or Safari.");
  }
  byId("save").addEventListener("click", save);
  byId("load").addEventListener("change", async ({ target }) => {
    if (target.files.length) await load(target.files[0]);
    target.value = "";
  });
  try {
    await showProgress();
  } catch {
    warn("This window keeps nothing (is it a private one?): lessons run, but answers and progress are gone when you close it.");
    byId("save").disabled = byId("load").disabled = true;
  }
};

await start();
