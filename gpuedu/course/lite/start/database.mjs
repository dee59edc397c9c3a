// The two databases of this site in the browser: the course's own, and JupyterLite's, which holds a
// notebook once it was saved.
const done = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

const open = (name, stores, version) => {
  const request = indexedDB.open(name, version);
  request.onupgradeneeded = () => {
    for (const store of stores)
      if (!request.result.objectStoreNames.contains(store)) request.result.createObjectStore(store);
  };
  return done(request);
};

/** Every record of a store, as [key, value]; none where the store is not there. */
const all = async (database, store) => {
  if (!database.objectStoreNames.contains(store)) return [];
  const held = database.transaction(store).objectStore(store);
  const [keys, values] = await Promise.all([done(held.getAllKeys()), done(held.getAll())]);
  return keys.map((name, i) => [name, values[i]]);
};

const put = (database, store, name, value) =>
  done(database.transaction(store, "readwrite").objectStore(store).put(value, name));

/** The course's records: `events` of progress, and notebooks as they were `released`. */
export const openCourse = () => open("gpuedu", ["events", "released"], 1);

/** JupyterLite's files. Its name for the database ends with the path of the site. */
export const openFiles = async (root) => {
  const name = `JupyterLite Storage - ${root}`;
  const database = await open(name, ["files"]);
  if (database.objectStoreNames.contains("files")) return database;
  const version = database.version + 1;
  database.close();
  return open(name, ["files"], version);
};

export { all, put };
