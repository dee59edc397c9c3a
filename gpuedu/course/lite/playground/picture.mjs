// The chosen line: its accesses, what each costs, and which lane touches what.

import { make, many, number, prose } from "./dom.mjs";

const VERBS = { load: "reads", store: "writes", atomic: "updates" };

// `line` is the report's entry, or undefined for one that did not run.
export function showLine(line, text) {
  if (!line) {
    const said = text.trim() ? "The launch did not run this line." : "This line is empty.";
    return [make("p", { class: "aside" }, said)];
  }
  const ran = [`run ${many(line.executions, "time")} by warps`, `${line.lanes} of 32 lanes active`];
  if (line.branches) ran.push(`${number(line.divergent)} of ${many(line.branches, "branch").replace(/branchs$/, "branches")} divergent`);
  for (const [dtype, count] of Object.entries(line.flop_by_type)) ran.push(`${number(count)} FLOP in ${dtype}`);
  const out = [make("p", { class: "ran" }, `${ran.join(" · ")}`)];
  return line.sites.length ? [...out, table(line)] : out;
}

function table(line) {
  const heads = ["access", "memory", "requests", "lanes", "each asks for"];
  return make(
    "div",
    { class: "scroll" },
    make(
      "table",
      { class: "sites" },
      make("thead", {}, make("tr", {}, heads.map((head) => make("th", { scope: "col" }, head)))),
      make("tbody", {}, line.sites.map(row)),
    ),
  );
}

function row(site) {
  const times = site.ideal ? site.transfers / site.ideal : 1;
  const level = times >= 4 ? "hot" : times >= 1.5 ? "warm" : "";
  const unit = site.transfers === 1 ? site.unit.replace(/(ss)?e?s$/, "$1") : site.unit;
  const cost = site.unit && site.requests ? `${number(site.transfers)} ${unit}` : "";
  const best = cost && times > 1.05 ? `, ${number(site.ideal)} at best` : "";
  const meeting = site.same_address > 1 ? `; ${number(site.same_address)} lanes on one address` : "";
  return make(
    "tr",
    {},
    make("td", {}, make("code", {}, site.text), ` ${VERBS[site.operation]}`),
    make("td", {}, site.space),
    make("td", { class: "n" }, number(site.requests)),
    make("td", { class: "n" }, site.requests ? String(site.lanes) : ""),
    make("td", { class: level }, cost + best + meeting),
  );
}

// The grids of one warp's accesses, as the machine answered them.
export function showAccesses(found) {
  if (!found.accesses.length) {
    return [make("p", { class: "aside" }, `No access of this line was recorded in block ${found.block}, the one that is watched.`)];
  }
  return found.accesses.map((one) =>
    make(
      "figure",
      { class: "grid" },
      make("figcaption", {}, make("code", {}, one.text), " ", prose(one.says)),
      make(
        "div",
        { class: "rows", role: "img", "aria-label": `${one.text} ${one.says}` },
        one.kind === "banks" ? bankNumbers() : null,
        one.rows.map(rowOf),
      ),
      one.more ? make("p", { class: "aside" }, one.more) : null,
    ),
  );
}

function bankNumbers() {
  const cells = Array.from({ length: 32 }, (_, bank) => make("span", { class: "bank" }, String(bank)));
  return [make("span", { class: "name" }, "bank"), make("span", { class: "cells" }, cells)];
}

function rowOf(row) {
  const cells = row.cells.map(([style, text, tip]) => make("span", { class: `cell ${style}`, title: tip }, text));
  return [make("span", { class: "name" }, row.name), make("span", { class: "cells" }, cells)];
}

export function legend(found) {
  const isBanks = found.accesses.some((one) => one.kind === "banks");
  const isMemory = found.accesses.some((one) => one.kind === "memory");
  const parts = ["The number in a cell is the lane; 0+ is lane 0 with others."];
  if (isMemory) parts.push("Gray is fetched along with its sector of 32 bytes, and not used.");
  if (isBanks) parts.push("Each bank serves one word a pass.");
  return make("p", { class: "aside legend" }, parts.join(" "));
}
