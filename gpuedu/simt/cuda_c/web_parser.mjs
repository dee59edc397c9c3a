// Reads CUDA C with tree-sitter's WebAssembly build, in a browser tab or in Node.
//
// load(folder) fetches web-tree-sitter and the grammar from a folder, by its address: in a tab that
// is the site's own, in Node a "file:" one. It gives {types, fields, read}: the grammar's names by
// number, and a function from a text to its tree as one Int32Array with FIELDS numbers a node, in
// the order in which a walk from the root enters them:
//
//   the number of its type, the number of its field or 0, start and end in UTF-16 units,
//   its parent or -1, the first node after everything below it, and flags (1 named, 2 missing,
//   4 an error, 8 an error or a missing node at or below it).
//
// One array crosses over to Python in a moment; a call for each question about a node would not.

export const FIELDS = 7;
const NAMED = 1, MISSING = 2, ERROR = 4, HAS_ERROR = 8;
const ERROR_TYPE = 65535;

export async function load(folder) {
  const base = folder.endsWith("/") ? folder : folder + "/";
  const { Parser, Language } = await import(base + "web-tree-sitter.js");
  const [engine, grammar] = await Promise.all(
    ["web-tree-sitter.wasm", "tree-sitter-cuda.wasm"].map((name) => bytesOf(base + name)),
  );
  await Parser.init({ wasmBinary: engine });
  const language = await Language.load(grammar);
  const parser = new Parser();
  parser.setLanguage(language);
  return {
    types: language.types,
    fields: language.fields,
    read(text) {
      const tree = parser.parse(text);
      try {
        return flatten(tree);
      } finally {
        tree.delete();
      }
    },
  };
}

async function bytesOf(address) {
  if (address.startsWith("file:")) {
    const { readFile } = await import("node:fs/promises");
    return readFile(new URL(address));
  }
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address} answers ${answer.status}`);
  return new Uint8Array(await answer.arrayBuffer());
}

function flatten(tree) {
  const rows = [];
  const open = []; // the nodes between the root and the one at hand, by number
  const faulty = tree.rootNode.hasError;
  const cursor = tree.walk();
  const enter = () => {
    rows.push(
      cursor.nodeTypeId,
      cursor.currentFieldId,
      cursor.startIndex,
      cursor.endIndex,
      open.length ? open[open.length - 1] : -1,
      0,
      flagsOf(cursor, faulty),
    );
    open.push(rows.length / FIELDS - 1);
  };
  const leave = () => {
    rows[open.pop() * FIELDS + 5] = rows.length / FIELDS;
  };
  enter();
  for (;;) {
    if (cursor.gotoFirstChild()) {
      enter();
      continue;
    }
    leave();
    while (!cursor.gotoNextSibling()) {
      if (!cursor.gotoParent()) {
        cursor.delete();
        return Int32Array.from(rows);
      }
      leave();
    }
    enter();
  }
}

function flagsOf(cursor, faulty) {
  let flags = cursor.nodeIsNamed ? NAMED : 0;
  if (faulty) {
    if (cursor.nodeIsMissing) flags |= MISSING;
    if (cursor.nodeTypeId === ERROR_TYPE) flags |= ERROR;
    if (cursor.currentNode.hasError) flags |= HAS_ERROR;
  }
  return flags;
}
