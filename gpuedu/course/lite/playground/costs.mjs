// What each line cost, in columns at the right edge of the editor.

import { RangeSet, StateEffect, StateField } from "@codemirror/state";
import { GutterMarker, gutter } from "@codemirror/view";
import { make, number, ratio, short } from "./dom.mjs";

const COLUMNS = [
  { key: "lanes", name: "lanes", tip: "active lanes of 32, on average", of: lanes },
  { key: "requests", name: "requests", tip: "accesses by warps, to global and shared memory", of: requests },
  { key: "sectors", name: "sectors", tip: "32-byte sectors of global memory; ×n: n times what the lanes need", of: sectors },
  { key: "wavefronts", name: "banks", tip: "passes through the banks of shared memory; ×n: n times what the lanes need", of: banks },
  { key: "flop", name: "FLOP", tip: "floating-point operations", of: flop },
];

const cell = (text, level = "", more = "") => ({ text, level, more });
const heat = (times) => (times >= 4 ? "hot" : times >= 1.5 ? "warm" : "");

function lanes(line) {
  if (!line.executions) return cell("");
  return cell(String(line.lanes), line.lanes <= 8 ? "hot" : line.lanes <= 20 ? "warm" : "");
}

function requests(line) {
  return cell(line.requests ? short(line.requests) : "");
}

function timed(count, times) {
  if (!count) return cell("");
  return cell(short(count), heat(times), times > 1.05 ? ratio(times) : "");
}

function sectors(line) {
  return timed(line.sectors, line.sectors_ratio);
}

function banks(line) {
  return timed(line.wavefronts, line.wavefronts_ratio);
}

function flop(line) {
  const level = line.flop_by_type.float64 && line.isMixed ? "warm" : "";
  return cell(line.flop ? short(line.flop) : "", level);
}

// The columns that a report has anything for.
export function columnsOf(report) {
  return COLUMNS.filter(
    ({ key }) => key === "lanes" || report.lines.some((line) => line[key] > 0),
  );
}

// The one thing to know of a line where there is no room for more.
function worst(line) {
  const times = Math.max(line.sectors_ratio, line.wavefronts_ratio);
  if (times >= 1.5) return cell(ratio(times), heat(times));
  const { text, level } = lanes(line);
  return level ? cell(`${Math.round(text)}/32`, level) : cell(line.requests ? "✓" : "", "fine");
}

function sentence(line) {
  const parts = [`line ${line.line}: run ${number(line.executions)} times by warps, ${line.lanes} of 32 lanes active`];
  if (line.requests) parts.push(`${number(line.requests)} requests`);
  if (line.sectors) parts.push(`${number(line.sectors)} sectors, ${number(line.ideal_sectors)} at best`);
  if (line.wavefronts) parts.push(`${number(line.wavefronts)} passes through the banks, ${number(line.ideal_wavefronts)} at best`);
  if (line.flop) parts.push(`${number(line.flop)} floating-point operations`);
  if (line.branches) parts.push(`${number(line.divergent)} of ${number(line.branches)} branches divergent`);
  return parts.join("; ");
}

function show({ text, level, more }, key) {
  return make("span", { class: `col ${key} ${level}` }, more ? make("i", {}, more) : null, text);
}

class Costs extends GutterMarker {
  constructor(line, columns) {
    super();
    Object.assign(this, { line, columns });
  }

  eq(other) {
    return this.line === other.line;
  }

  toDOM() {
    const cells = this.columns.map((column) => show(column.of(this.line), column.key));
    return make("div", { class: "costs", title: sentence(this.line) }, cells, show(worst(this.line), "worst"));
  }
}

const setCosts = StateEffect.define();

const field = StateField.define({
  create: () => RangeSet.empty,
  update(set, change) {
    for (const effect of change.effects) if (effect.is(setCosts)) return effect.value;
    return set.map(change.changes);
  },
});

// The extension; `onLine` hears of clicks.
export function costGutter(onLine) {
  return [
    field,
    gutter({
      class: "cm-costs",
      side: "after",
      markers: (view) => view.state.field(field),
      domEventHandlers: {
        mousedown(view, block) {
          onLine(view.state.doc.lineAt(block.from).number);
          return true;
        },
      },
    }),
  ];
}

export function showCosts(view, report) {
  const columns = report ? columnsOf(report) : [];
  const isMixed = report ? report.findings.some((found) => found.kind === "float64-arithmetic") : false;
  const lines = report ? report.lines.filter(({ line }) => line <= view.state.doc.lines) : [];
  const marks = lines.map((line) =>
    new Costs({ ...line, isMixed }, columns).range(view.state.doc.line(line.line).from),
  );
  view.dispatch({ effects: setCosts.of(RangeSet.of(marks, true)) });
}

export function heading(report) {
  return make(
    "div",
    { class: "costs", "aria-hidden": "true" },
    columnsOf(report).map(({ key, name, tip }) => make("span", { class: `col ${key}`, title: tip }, name)),
    make("span", { class: "col worst" }, "cost"),
  );
}
