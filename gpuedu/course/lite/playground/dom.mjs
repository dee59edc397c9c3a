// Elements of a page from plain values; text is never markup.

export function make(tag, options = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

// A sentence in which what stands between backquotes is code.
export function prose(text) {
  return text
    .split(/`([^`]+)`/)
    .map((part, place) => (place % 2 ? make("code", {}, part) : part));
}

export const number = (value) => value.toLocaleString("en-US");

// A count in at most six characters: 12,288 or 1.3M.
export function short(value) {
  if (value < 100_000) return number(value);
  const [unit, size] = value < 1e6 ? ["k", 1e3] : value < 1e9 ? ["M", 1e6] : ["G", 1e9];
  const scaled = value / size;
  return `${scaled < 10 ? scaled.toFixed(1) : Math.round(scaled)}${unit}`;
}

export const ratio = (value) => `×${value < 10 ? +value.toFixed(1) : Math.round(value)}`;

export const many = (count, noun) => `${number(count)} ${noun}${count === 1 ? "" : "s"}`;
