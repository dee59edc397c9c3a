// JupyterLite registers its worker when its pages are up, too late to keep what they fetched. So a
// page waits for the worker first, a moment at most, and goes on without one where there is none.
window.gpueduKept = (async () => {
  try {
    const workers = navigator.serviceWorker;
    const takes = new Promise((go) =>
      workers.addEventListener("controllerchange", go, { once: true }),
    );
    await workers.register(new URL("<root>service-worker.js?enableCache=false", location.href));
    const late = new Promise((go) => setTimeout(go, 2000));
    if (!workers.controller) await Promise.race([takes, late]);
  } catch {}
})();
