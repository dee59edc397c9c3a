// The stepper: buttons, a slider and keys over the frames that the machine draws.

import { make } from "./dom.mjs";

const BUTTONS = [
  ["warp back", "◀ warp", "the step before of the same warp (←)"],
  ["warp on", "warp ▶", "the next step of the same warp (→)"],
  ["back", "◀ any", "one step back, whichever warp took it (Shift ←)"],
  ["on", "any ▶", "one step on, whichever warp takes it (Shift →)"],
  ["barrier back", "◀ barrier", "to the barrier before (↑)"],
  ["barrier on", "barrier ▶", "past the next barrier (↓)"],
  ["hazard", "⚠ hazard", "to the next hazard (H)"],
];

const KEYS = {
  ArrowLeft: "warp back", ArrowRight: "warp on", ArrowUp: "barrier back", ArrowDown: "barrier on",
  Home: "first", End: "last", h: "hazard", H: "hazard",
};

export class Stepper {
  // `ask` sends a question to the machine; `onFrame` hears of each frame that is shown.
  constructor(parent, ask, onFrame) {
    Object.assign(this, { ask, onFrame, isBusy: false });
    this.bar = make("div", { class: "moves", role: "group", "aria-label": "Moves" }, BUTTONS.map((b) => this.button(...b)));
    this.slider = make("input", { type: "range", min: 0, value: 0, "aria-label": "Step", oninput: () => this.slide() });
    this.page = make("div", { class: "frame", tabindex: 0, role: "region", "aria-label": "One step; arrow keys move" });
    this.box = make("div", { class: "stepper", onkeydown: (event) => this.press(event) }, this.bar, this.slider, this.page);
    parent.append(this.box);
  }

  button(move, name, tip) {
    return make("button", { type: "button", title: tip, "data-move": move, onclick: () => this.go({ move }) }, name);
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const move = KEYS[event.key];
    if (!move) return;
    event.preventDefault();
    const isAny = event.shiftKey && move.startsWith("warp ");
    this.go({ move: isAny ? move.slice(5) : move });
  }

  slide() {
    this.wanted = { position: Number(this.slider.value) };
    this.go(this.wanted);
  }

  // Ask for a frame; while one is awaited, only the latest wish is kept.
  async go(question) {
    if (this.isBusy) {
      this.next = question;
      return;
    }
    this.isBusy = true;
    try {
      this.show(await this.ask({ ask: "step", ...question }));
    } finally {
      this.isBusy = false;
      const { next } = this;
      this.next = null;
      if (next) this.go(next);
    }
  }

  show(frame) {
    if (!frame || frame.failed) return;
    if (frame.fault) {
      this.page.replaceChildren(make("p", { class: "aside" }, `${frame.fault.message}.`));
      this.onFrame(null);
      return;
    }
    this.slider.max = frame.length - 1;
    this.slider.value = frame.position;
    this.bar.querySelector("[data-move=hazard]").disabled = !frame.hazards;
    this.page.innerHTML = frame.html; // made by the machine's own template, which escapes all text
    this.onFrame(frame);
  }
}
