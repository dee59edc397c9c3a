// What was typed, kept in this browser where it keeps anything; the page works without.

const DRAFT = "gpuedu.playground.draft";
const BEFORE = "gpuedu.playground.before";

function read(key) {
  try {
    return JSON.parse(localStorage.getItem(key));
  } catch {
    return null;
  }
}

function write(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // A private window, or one whose storage is full: the text is in the editor all the same.
  }
}

const memory = { before: null };

export const draft = () => read(DRAFT);
export const keepDraft = (launch) => write(DRAFT, launch);
export const before = () => memory.before ?? read(BEFORE);

// The reader's own text is about to be replaced by an example or a link.
export function keepBefore(launch) {
  memory.before = launch;
  write(BEFORE, launch);
}
