// JupyterLite registers its worker when its pages are up, too late to keep what they fetched. So a
// page waits for the worker first, a moment at most, and goes on without one where there is none.
// A new release's worker is waited for as well: a kernel that starts while workers change may hang.
window.gpueduKept = (async () => {
  try {
    const workers = navigator.serviceWorker;
    const takes = new Promise((go) =>
      workers.addEventListener("controllerchange", go, { once: true }),
    );
    const within = (ms, event) => Promise.race([event, new Promise((go) => setTimeout(go, ms))]);
    const script = new URL("<root>service-worker.js?enableCache=false", location.href);
    const held = await workers.register(script);
    if (!workers.controller) {
      await within(2000, takes);
      return;
    }
    await within(2000, held.update());
    if (held.installing || held.waiting) await within(10000, takes);
  } catch {}
})();
