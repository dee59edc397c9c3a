// What a launch did, beside the editor: faults, findings, arrays, totals.

import { make, many, number, prose } from "./dom.mjs";

const sentence = (text) => (/[.!?]$/.test(text) ? text : `${text}.`);
const upper = (text) => (text.startsWith("`") ? text : text.charAt(0).toUpperCase() + text.slice(1));

// What was typed and cannot be used.
export function showFault(fault, onGo, onSuggest) {
  const where = fault.line > 0 && fault.field === "kernel";
  const said = where ? fault.message.replace(/^line \d+( of `[^`]+`)?: /, "") : fault.message;
  return make(
    "div",
    { class: "finding hazard", role: "alert" },
    make("p", {}, where ? [lineButton(fault.line, onGo), " "] : null, prose(sentence(upper(said)))),
    fault.remedy ? make("p", { class: "remedy" }, "Try: ", prose(sentence(fault.remedy))) : null,
    fault.suggestion
      ? make("button", { type: "button", class: "suggest", onclick: () => onSuggest(fault.suggestion) }, "Write the arguments for me")
      : null,
  );
}

export function lineButton(line, onGo) {
  return make("button", { type: "button", class: "line", onclick: () => onGo(line), title: "go to this line" }, `line ${line}`);
}

const KINDS = { hazard: "hazard", cost: "cost", note: "note" };

// Hazards first, then costs, then notes.
export function showFindings(report, onGo) {
  const notes = report.notes.map((note) => make("p", { class: "aside" }, note));
  if (!report.findings.length) {
    const clean = report.complete ? "No hazards, and nothing costs more than it has to." : "";
    return [make("p", { class: "clean" }, clean), ...notes];
  }
  return [...report.findings.map((found) => showFinding(found, onGo)), ...notes];
}

function showFinding(found, onGo) {
  const threads = found.threads.map((thread) =>
    make("li", {}, thread.line ? [lineButton(thread.line, onGo), " "] : null, `${thread.name} ${thread.verb} `, make("code", {}, thread.text)),
  );
  return make(
    "div",
    { class: `finding ${found.level}`, "data-kind": found.kind },
    make(
      "p",
      {},
      make("b", { class: "word" }, KINDS[found.level], " "),
      found.line ? [lineButton(found.line, onGo), " "] : null,
      prose(sentence(upper(found.message))),
    ),
    isApart(found.threads) ? make("ul", {}, threads) : null,
    found.remedy ? make("p", { class: "remedy" }, "Try: ", prose(sentence(found.remedy))) : null,
  );
}

// Whether two threads are at lines of their own; at one line, the message says it all.
function isApart([one, other]) {
  return Boolean(one?.line && other?.line && one.line !== other.line);
}

export function headline(report) {
  const count = (level) => report.findings.filter((found) => found.level === level).length;
  const parts = ["hazard", "cost", "note"].filter(count).map((level) => many(count(level), level));
  return parts.length ? parts.join(", ") : "no hazards, no costs";
}

export function showTotals(report) {
  return make(
    "dl",
    {},
    report.summary.map(([name, text]) => [make("dt", {}, name), make("dd", {}, text)]),
  );
}

export function showArrays(report) {
  if (!report.arrays.length) return make("p", { class: "aside" }, "The launch has no arrays.");
  return report.arrays.map((array) => {
    const what = array.changed ? `${number(array.changed)} of ${number(array.size)} changed` : "unchanged";
    return make(
      "div",
      { class: "array", "data-array": array.name },
      make("h3", {}, make("code", {}, array.name), ` ${array.dtype}[${array.shape.join(", ")}] `, make("span", {}, what)),
      make("p", { class: "values" }, values(array)),
    );
  });
}

function values(array) {
  const shown = array.values.flatMap((value, place) => {
    const isChanged = array.is_changed[place];
    const tip = `[${place}] was ${array.before[place]}`;
    return [isChanged ? make("mark", { title: tip }, value) : make("span", { title: `[${place}]` }, value), " "];
  });
  return array.size > array.values.length ? [...shown, "…"] : shown;
}
