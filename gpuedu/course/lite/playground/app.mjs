// The page: editor, launch, results, and what leads from one to the other.

import { make, prose } from "./dom.mjs";
import { costGutter, heading, showCosts } from "./costs.mjs";
import { goTo, makeEditor, markLines, setText, textOf, underline } from "./editor.mjs";
import { fromFragment, toFragment } from "./link.mjs";
import { Machine, Stopped } from "./machine.mjs";
import { legend, showAccesses, showLine } from "./picture.mjs";
import { headline, showArrays, showFault, showFindings, showTotals } from "./report.mjs";
import { Stepper } from "./stepper.mjs";
import * as store from "./store.mjs";

const $ = (id) => document.getElementById(id);
const FIELDS = ["grid", "block", "shared"];
const config = JSON.parse($("config").textContent);

const now = { report: null, line: 0, warp: 0, turn: 0, watch: null, isStale: true, run: 0, isOwn: false };

// Editors

const kernel = makeEditor($("kernel-editor"), {
  label: "Kernel, in Python",
  extensions: [costGutter((line) => choose(line, true))],
  onEdit: edited,
  onLine: (line) => choose(line, false),
  onRun: () => void run(),
});
const args = makeEditor($("arguments-editor"), {
  label: "Arguments, one a line",
  isSmall: true,
  onEdit: edited,
  onRun: () => void run(),
});

const launchNow = () => ({
  source: textOf(kernel),
  arguments: textOf(args),
  ...Object.fromEntries(FIELDS.map((name) => [name, $(name).value])),
  kernel: $("kernel").value,
});

function showLaunch(launch) {
  setText(kernel, launch.source ?? "");
  setText(args, launch.arguments ?? "");
  for (const name of FIELDS) $(name).value = launch[name] ?? "";
  offerKernels(launch.kernel ? [launch.kernel] : [], launch.kernel ?? "");
  forget();
}

function offerKernels(names, chosen) {
  $("kernel").replaceChildren(...names.map((name) => make("option", { value: name, selected: name === chosen }, name)));
  if (!names.length) $("kernel").append(make("option", { value: "" }, ""));
  $("kernel-field").hidden = names.length < 2;
}

function edited() {
  now.isOwn = true;
  store.keepDraft(launchNow());
  if (location.hash) history.replaceState(null, "", location.pathname + location.search);
  if ($("examples").value) $("examples").value = "";
  $("look").hidden = true;
  stale();
}

function stale() {
  now.watch = null;
  now.isStale = true;
  document.body.classList.add("stale");
}

function forget() {
  now.report = null;
  now.line = 0;
  showCosts(kernel, null);
  $("costs-heading").replaceChildren();
  markLines(kernel, { chosen: null, step: null });
  underline(kernel, []);
  underline(args, []);
  $("told").replaceChildren();
  for (const id of ["line", "printed", "steps", "arrays", "totals"]) $(id).hidden = true;
  $("welcome").hidden = false;
  stale();
}

// The machine

const canRun = typeof WebAssembly === "object";
let loading = "loading";
const absolute = (address) => new URL(address, location.href).href;
const machine = canRun && new Machine(
  { worker: config.worker, pyodide: absolute(config.pyodide), archive: absolute(config.archive) },
  (state, text) => {
    loading = state;
    if (state === "failed") {
      say("Not loaded", "hazard");
      banner(`Python could not be loaded (${text}). Check the connection, then press Run to try again; your text is kept.`);
    } else if (!now.run || state === "loading") say(now.run ? `${text} Your kernel runs when it is ready.` : text);
  },
);

function tellNoWebAssembly() {
  say("Cannot run", "hazard");
  banner("This browser has no WebAssembly, so no kernel can run in it: open the page in a current Firefox, Chrome, Edge or Safari. What you type is kept.");
}

function say(text, level = "") {
  $("state").textContent = text;
  $("state").className = level;
}

function banner(text) {
  $("banner").replaceChildren(make("p", {}, prose(text)), make("button", { type: "button", "aria-label": "Close", onclick: () => banner("") }, "×"));
  $("banner").hidden = !text;
}

async function ask(question) {
  try {
    return await machine.ask(question);
  } catch (fault) {
    if (fault instanceof Stopped) return null;
    if (loading === "failed") return { failed: true };
    return { fault: { message: `the machine stopped: ${fault.message}`, remedy: "press Run again", field: "", line: 0 } };
  }
}

async function run() {
  if (now.run) return;
  if (!machine) {
    tellNoWebAssembly();
    return;
  }
  if (loading === "failed") banner("");
  now.run = 1;
  $("run").disabled = true;
  $("stop").disabled = false;
  document.body.classList.add("running");
  say(loading === "ready" ? "Running…" : "Loading Python… Your kernel runs when it is ready.");
  if (now.isOwn) store.keepDraft(launchNow());
  const launch = launchNow();
  if (launch.source !== now.source) launch.kernel = $("kernel-field").hidden ? "" : launch.kernel;
  const patience = setInterval(() => loading === "ready" && say("Running… Stop ends it"), 5000);
  const report = await ask({ ask: "run", ...launch, watch: now.watch });
  clearInterval(patience);
  now.run = 0;
  $("run").disabled = false;
  $("stop").disabled = true;
  document.body.classList.remove("running");
  if (!report) say("Stopped");
  else if (report.failed) return;
  else if (report.fault) told(report.fault);
  else await show(report);
}

function stop() {
  if (!now.run) return;
  machine.stop();
}

// Results

function unmark() {
  for (const name of FIELDS) $(name).removeAttribute("aria-invalid");
  $("arguments-editor").classList.remove("invalid");
  underline(args, []);
}

function told(fault) {
  unmark();
  underline(kernel, []);
  stale();
  say("Cannot run", "hazard");
  $("welcome").hidden = true;
  $("told").replaceChildren(showFault(fault, (line) => choose(line, true), useSuggestion));
  const mark = { line: fault.line, column: fault.column, severity: "error", message: fault.message };
  if (fault.field === "kernel") underline(kernel, [mark]);
  if (fault.field === "arguments") {
    underline(args, [mark]);
    $("arguments-editor").classList.add("invalid");
  }
  if (FIELDS.includes(fault.field)) $(fault.field).setAttribute("aria-invalid", "true");
}

// Arguments from how the kernel uses its names: the reader's own lines that fit are kept.
function useSuggestion(text) {
  setText(args, text);
  edited();
  run();
}

async function show(report) {
  unmark();
  now.report = report;
  now.isStale = false;
  document.body.classList.remove("stale");
  const level = report.findings[0]?.level ?? "";
  say(headline(report), level === "note" ? "" : level);
  $("welcome").hidden = true;
  $("told").replaceChildren(...showFindings(report, (line) => choose(line, true)));
  offerKernels(report.kernels, report.kernel);
  showCosts(kernel, report);
  $("costs-heading").replaceChildren(heading(report));
  underline(kernel, report.findings.flatMap(marks));
  $("arrays-body").replaceChildren(...[showArrays(report)].flat());
  $("totals-body").replaceChildren(make("p", { class: "aside" }, report.title), showTotals(report));
  for (const id of ["line", "steps", "arrays", "totals"]) $(id).hidden = false;
  $("steps").hidden = !report.steps;
  $("printed").hidden = !report.printed;
  $("printed-body").textContent = report.printed;
  Object.assign($("watch"), { value: report.watched, max: report.blocks - 1, disabled: report.blocks === 1 });
  markLines(kernel, { step: null });
  now.line = worthALook(report, now.line);
  Object.assign(now, { warp: 0, turn: 0 });
  await choose(now.line, false);
  if ($("steps").open) stepper.go({ move: "stay" });
}

const SEVERITY = { hazard: "error", cost: "warning", note: "info" };

function marks(found) {
  const own = now.report.lines.find(({ line }) => line === found.line);
  const site = own?.sites.find(({ array }) => array === found.array);
  const said = `${found.message}. Try: ${found.remedy}.`;
  const out = [{ line: found.line, text: site?.text, severity: SEVERITY[found.level], message: said }];
  const other = found.threads[1];
  if (other && other.line && other.line !== found.line) {
    out.push({ line: other.line, severity: "error", message: `${other.name} ${other.verb} here. ${said}` });
  }
  return out;
}

// The line to look at after a run: the reader's, or the first that has something to tell.
function worthALook(report, line) {
  const has = (number) => report.lines.some((own) => own.line === number && own.sites.length);
  const isTold = report.findings.some((one) => one.line === line);
  if (has(line) || isTold) return line;
  const found = report.findings.find((one) => has(one.line));
  if (found) return found.line;
  const most = report.lines.filter((own) => own.sites.length).sort((a, b) => b.requests - a.requests)[0];
  return most?.line ?? 0;
}

async function choose(line, isGoing) {
  if (isGoing) goTo(kernel, line);
  if (line !== now.line) now.turn = 0;
  now.line = line;
  if (!now.report) return;
  const own = now.report.lines.find((one) => one.line === line);
  if (!own && now.isStale) return;
  markLines(kernel, { chosen: own ? line : null });
  const text = line ? kernel.state.doc.line(Math.min(line, kernel.state.doc.lines)).text : "";
  $("line-number").textContent = line || "";
  $("line-text").textContent = text.trim();
  $("line-body").replaceChildren(...showLine(own, text));
  $("line-tools").hidden = true;
  $("line-picture").replaceChildren();
  $("line-figure").replaceChildren();
  if (own?.sites.length) await draw();
}

async function draw() {
  const asked = { line: now.line, warp: now.warp, turn: now.turn };
  const found = await ask({ ask: "accesses", ...asked });
  if (!found?.accesses || found.line !== now.line) return;
  Object.assign(now, { warp: found.warp, turn: found.turn ?? 0 });
  $("line-picture").replaceChildren(...showAccesses(found), ...(found.accesses.length ? [legend(found)] : []));
  $("line-tools").hidden = !found.accesses.length;
  $("warp").replaceChildren(...found.warps.map((warp) => make("option", { value: warp, selected: warp === found.warp }, `${warp}`)));
  $("turn-shown").textContent = `${found.turn + 1} of ${found.turns}`;
  $("turn-back").disabled = found.turn === 0;
  $("turn-on").disabled = found.turn + 1 >= found.turns;
}

async function drawFigure() {
  const button = $("figure");
  button.disabled = true;
  button.textContent = "Drawing…";
  const made = await ask({ ask: "figure", line: now.line, warp: now.warp, turn: now.turn });
  button.disabled = false;
  button.textContent = "Figure (SVG)";
  if (!made || made.failed) return;
  if (made.fault) {
    $("line-figure").replaceChildren(make("p", { class: "aside" }, `${made.fault.message}. Try: ${made.fault.remedy}.`));
    return;
  }
  const address = URL.createObjectURL(new Blob([made.svg], { type: "image/svg+xml" }));
  const name = `${now.report.kernel}-line-${now.line}.svg`;
  $("line-figure").replaceChildren(
    make("a", { href: address, download: name, title: "save the figure" }, make("img", { src: address, alt: made.alt })),
    make("p", { class: "aside" }, "A click saves it as ", make("code", {}, name), "."),
  );
}

const stepper = new Stepper($("steps-body"), ask, (frame) => markLines(kernel, { step: frame?.line ?? null }));

// Links and examples

async function copyLink() {
  const fragment = await toFragment(launchNow());
  history.replaceState(null, "", `#${fragment}`);
  const address = location.href;
  try {
    await navigator.clipboard.writeText(address);
    say(`Link copied (${address.length.toLocaleString("en-US")} characters)`);
  } catch {
    say("The link is in the address bar: copy it there");
  }
}

function offerExamples() {
  const own = store.before();
  $("examples").replaceChildren(
    make("option", { value: "" }, "Examples…"),
    ...config.examples.map(({ name, title }) => make("option", { value: name }, title)),
    ...(own ? [make("option", { value: "before" }, "↩ Your text before this")] : []),
  );
}

function keepOwn() {
  if (now.isOwn) store.keepBefore(launchNow());
  now.isOwn = false;
}

function openExample(name) {
  const chosen = name === "before" ? store.before() : config.examples.find((one) => one.name === name);
  if (!chosen) return;
  keepOwn();
  now.isOwn = name === "before";
  if (location.hash) history.replaceState(null, "", location.pathname + location.search);
  showLaunch(chosen);
  now.line = chosen.line ?? 0;
  offerExamples();
  $("examples").value = name === "before" ? "" : name;
  $("look").replaceChildren(...prose(chosen.look ?? ""));
  $("look").hidden = !chosen.look;
  banner("");
  run();
}

async function openLink() {
  const fragment = decodeURIComponent(location.hash.slice(1));
  if (!fragment) return false;
  try {
    const launch = await fromFragment(fragment);
    keepOwn();
    showLaunch(launch);
    $("look").hidden = true;
    offerExamples();
    return true;
  } catch (fault) {
    const isOurs = fault.message.startsWith("This link");
    banner(isOurs ? fault.message : "This link is damaged: ask for it again, whole. Nothing in the editor was changed.");
    return false;
  }
}

async function open() {
  offerExamples();
  const draft = store.draft();
  if (draft) {
    showLaunch(draft);
    now.isOwn = true;
  }
  if ((await openLink()) || draft) run();
  else openExample(config.examples[0].name);
}

function wire() {
  $("run").addEventListener("click", () => run());
  $("stop").addEventListener("click", stop);
  $("link").addEventListener("click", copyLink);
  $("examples").addEventListener("change", (event) => openExample(event.target.value));
  $("launch").addEventListener("submit", (event) => {
    event.preventDefault();
    run();
  });
  for (const name of [...FIELDS, "kernel"]) $(name).addEventListener("input", edited);
  $("warp").addEventListener("change", (event) => {
    now.warp = Number(event.target.value);
    draw();
  });
  for (const [id, by] of [["turn-back", -1], ["turn-on", 1]]) {
    $(id).addEventListener("click", () => {
      now.turn += by;
      draw();
    });
  }
  $("watch").addEventListener("change", (event) => {
    now.watch = Number(event.target.value);
    run();
  });
  $("figure").addEventListener("click", drawFigure);
  $("steps").addEventListener("toggle", () => {
    if ($("steps").open && now.report) stepper.go({ move: "stay" });
    else markLines(kernel, { step: null });
  });
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter" && !event.defaultPrevented) {
      event.preventDefault();
      run();
    }
  });
  document.addEventListener("click", (event) => {
    if (!$("help").contains(event.target)) $("help").open = false;
  });
  $("help").addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    $("help").open = false;
    $("help").querySelector("summary").focus();
  });
  window.addEventListener("hashchange", async () => {
    if (await openLink()) run();
  });
  if (!/Mac|iPhone|iPad/.test(navigator.platform)) return;
  for (const key of document.querySelectorAll(".mod")) key.textContent = "⌘";
}

wire();
open();
if (!canRun) tellNoWebAssembly();
