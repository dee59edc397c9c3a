// The worker as the page sees it: questions with promises, and a stop that starts afresh.

export class Stopped extends Error {}

export class Machine {
  // `onState(state, text)` hears of "loading", "ready" and "failed".
  constructor(config, onState) {
    this.config = config;
    this.onState = onState;
    this.start();
  }

  start() {
    this.state = "loading";
    this.number = 0;
    this.waiting = new Map();
    this.ready = new Promise((resolve, reject) => {
      this.settle = { resolve, reject };
    });
    this.ready.catch(() => {});
    this.tell("loading", "Loading Python…");
    this.worker = new Worker(this.config.worker, { type: "module" });
    this.worker.onmessage = ({ data }) => this.hear(data);
    this.worker.onerror = (event) => this.fail(event.message || "the worker did not start");
    this.worker.postMessage({ start: { ...this.config, worker: undefined } });
  }

  tell(state, text) {
    this.state = state;
    this.onState(state, text);
  }

  hear(data) {
    if (data.stage) {
      this.tell("loading", data.stage);
    } else if (data.ready) {
      this.tell("ready", "Ready");
      this.settle.resolve();
    } else if (data.number === undefined) {
      this.fail(data.failed);
    } else {
      const { resolve, reject } = this.waiting.get(data.number);
      this.waiting.delete(data.number);
      if (data.failed === undefined) {
        resolve(data.answer);
      } else {
        // Python answers its own errors, so whatever comes here has ended Python.
        reject(new Error(data.failed));
        this.stop();
      }
    }
  }

  fail(reason) {
    this.worker.terminate();
    this.tell("failed", reason);
    this.settle.reject(new Error(reason));
    for (const { reject } of this.waiting.values()) reject(new Error(reason));
    this.waiting.clear();
  }

  // The answer to a question; waits for the machine where it is still loading.
  async ask(question) {
    if (this.state === "failed") this.start();
    await this.ready;
    const number = (this.number += 1);
    return new Promise((resolve, reject) => {
      this.waiting.set(number, { resolve, reject });
      this.worker.postMessage({ number, question });
    });
  }

  // End whatever runs, and start a fresh worker.
  stop() {
    this.worker.terminate();
    const waiting = [...this.waiting.values()];
    this.settle.reject(new Stopped());
    this.start();
    for (const { reject } of waiting) reject(new Stopped());
  }
}
