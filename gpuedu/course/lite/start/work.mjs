// A learner's work as one file, and back: progress, and every notebook that was saved here.
import { all, openCourse, openFiles, put } from "./database.mjs";

const FORMAT = "gpuedu-work";
const VERSION = 1;

/** What is wrong with a file, said to the person who chose it. */
export class UnusableFile extends Error {}

/** The text of the file, and how much is in it. */
export const pack = async (root) => {
  const [course, files] = await Promise.all([openCourse(), openFiles(root)]);
  const events = (await all(course, "events")).map(([, text]) => JSON.parse(text));
  const released = Object.fromEntries(await all(course, "released"));
  const notebooks = (await all(files, "files"))
    .filter(([, file]) => file.type === "notebook")
    .map(([path, file]) => ({ path, last_modified: file.last_modified, content: file.content }));
  const text = JSON.stringify({ format: FORMAT, version: VERSION, events, released, notebooks });
  return { text, events: events.length, notebooks: notebooks.length };
};

const isEvent = (event) =>
  [event?.id, event?.kind, event?.name, event?.at].every((part) => typeof part === "string") &&
  typeof event.body === "object" &&
  event.body !== null;

const read = (text) => {
  let found;
  try {
    found = JSON.parse(text);
  } catch {
    throw new UnusableFile("This file is cut off, or is no file of saved work. Nothing was changed.");
  }
  if (found?.format !== FORMAT)
    throw new UnusableFile("This is no file that “Save my work” wrote. Nothing was changed.");
  if (found.version !== VERSION)
    throw new UnusableFile("A newer release wrote this file: load it on that site. Nothing was changed.");
  const isWhole =
    Array.isArray(found.events) &&
    Array.isArray(found.notebooks) &&
    found.events.every(isEvent) &&
    found.notebooks.every((one) => typeof one?.path === "string" && Array.isArray(one?.content?.cells));
  if (!isWhole) throw new UnusableFile("Parts of this file are missing. Nothing was changed.");
  return found;
};

const source = (notebook) => JSON.stringify(notebook.cells.map((cell) => [cell.source].flat().join("")));

const asFile = (path, content, last_modified) => ({
  name: path.split("/").pop(), path, content, last_modified, created: last_modified,
  type: "notebook", format: "json", mimetype: "application/json", size: null, writable: true,
});

const aside = (path, taken) => {
  for (let i = 1; ; i += 1) {
    const name = path.replace(/\.ipynb$/, ` (other ${i}).ipynb`);
    if (!taken.has(name)) return name;
  }
};

/** Bring a file's work in. Of a notebook that is here in another state, both stay: the newer one
 * under its own name, the older one beside it. */
export const unpack = async (text, root) => {
  const found = read(text);
  const [course, files] = await Promise.all([openCourse(), openFiles(root)]);
  const known = new Set((await all(course, "events")).map(([id]) => id));
  const fresh = found.events.filter((event) => !known.has(event.id));
  for (const event of fresh) await put(course, "events", event.id, JSON.stringify(event));
  const here = new Map(await all(files, "files"));
  const both = [];
  for (const { path, content, last_modified } of found.notebooks) {
    const mine = here.get(path);
    let comes = asFile(path, content, last_modified ?? new Date().toISOString());
    if (mine?.content && source(mine.content) !== source(content)) {
      const name = aside(path, here);
      const isNewer = Date.parse(comes.last_modified) > Date.parse(mine.last_modified);
      const older = isNewer ? mine : comes;
      await put(files, "files", name, { ...older, path: name, name: name.split("/").pop() });
      if (!isNewer) comes = mine;
      both.push(path);
    }
    await put(files, "files", path, comes);
    const base = found.released?.[path];
    if (typeof base === "string" && comes !== mine) await put(course, "released", path, base);
  }
  return { events: fresh.length, notebooks: found.notebooks.length, both };
};
