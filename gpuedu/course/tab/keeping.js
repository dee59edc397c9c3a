// What a browser keeps for this course: records by name, in stores of one database.
(() => {
  const STORES = ["events", "released"];
  const done = (request) =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  const open = () => {
    const request = indexedDB.open("gpuedu", 1);
    request.onupgradeneeded = () => {
      for (const name of STORES) request.result.createObjectStore(name);
    };
    return done(request);
  };
  const within = async (store, mode, ask) => {
    const database = await open();
    try {
      return await done(ask(database.transaction(store, mode).objectStore(store)));
    } finally {
      database.close();
    }
  };
  return {
    all: (store) => within(store, "readonly", (s) => s.getAll()),
    get: (store, name) => within(store, "readonly", (s) => s.get(name)),
    put: (store, name, text) => within(store, "readwrite", (s) => s.put(text, name)),
  };
})();
