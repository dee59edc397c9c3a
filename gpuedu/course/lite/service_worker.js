// Keeps what was fetched once, so that a second visit is fast and needs no network. JupyterLite's own
// worker, which carries files between pages and kernels, goes on behind this one.
{
  const RELEASE = "<release>";
  const PYODIDE = "<pyodide>";
  const SHELL = <shell>;
  const CACHE = `gpuedu-${RELEASE}`;

  // These say which release is there and have the same name in each: asked for anew while there is a
  // network. Everything else has a name of its own, or belongs to one release's cache.
  const isFresh = (request) =>
    request.mode === "navigate" || /\.(html|json|ipynb)$/.test(new URL(request.url).pathname);

  const isPyodides = (request) => PYODIDE !== "" && request.url.startsWith(PYODIDE);

  const isOurs = (request) => {
    const url = new URL(request.url);
    if (request.method !== "GET" || !url.protocol.startsWith("http")) return false;
    // Below api/ JupyterLite's worker answers, but for the list of the site's files.
    if (url.origin === self.location.origin) return !/\/api\/(?!contents\/)/.test(url.pathname);
    return isPyodides(request);
  };

  const key = (request) => (request.mode === "navigate" ? request.url.split(/[?#]/)[0] : request.url);

  // A kernel loads Pyodide's scripts in a way that hides the answer, which then cannot be kept: asked for
  // openly they are the same. Of this site the browser itself may not answer with what it fetched before
  // a release.
  const asked = (request) =>
    isPyodides(request)
      ? new Request(request.url, { mode: "cors", credentials: "omit" })
      : new Request(request, { cache: "no-cache" });

  const fetched = async (request) => {
    const response = await fetch(asked(request));
    if (response.ok) {
      const copy = response.clone();
      const cache = await caches.open(CACHE);
      // A full disk costs the second visit's speed, never this answer.
      await cache.put(key(request), copy).catch(() => {});
    }
    return response;
  };

  const answer = async (request) => {
    const kept = () => caches.match(key(request), { cacheName: CACHE });
    if (!isFresh(request)) return (await kept()) ?? fetched(request);
    try {
      return await fetched(request);
    } catch (fault) {
      const found = await kept();
      if (found) return found;
      throw fault;
    }
  };

  self.addEventListener("install", (event) => {
    self.skipWaiting();
    const shell = SHELL.map((name) => new Request(name, { cache: "no-cache" }));
    event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(shell)));
  });

  self.addEventListener("activate", (event) => {
    const dropOthers = async () => {
      const names = (await caches.keys()).filter((name) => name.startsWith("gpuedu-"));
      await Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name)));
      await self.clients.claim();
    };
    event.waitUntil(dropOthers());
  });

  self.addEventListener("fetch", (event) => {
    if (!isOurs(event.request)) return;
    event.stopImmediatePropagation();
    event.respondWith(answer(event.request));
  });
}

importScripts("./jupyterlite-service-worker.js");
