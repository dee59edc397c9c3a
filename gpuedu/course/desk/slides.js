"use strict";
const body = document.body, slides = [...document.querySelectorAll(".slide")];
const place = document.getElementById("place");
let now = 0, touched = null;

function show(wanted) {
  now = Math.max(0, Math.min(slides.length - 1, wanted));
  slides.forEach((slide, at) => slide.classList.toggle("now", at === now));
  place.textContent = `${now + 1} / ${slides.length}`;
  history.replaceState(null, "", `#${now + 1}`);
  scrollTo(0, 0);
  slides[now].focus({ preventScroll: true }); // so that a screen reader reads it
}
function fit() { // once, at 1280 x 720: other windows scale the same slide
  body.classList.add("fitting");
  for (const slide of slides) {
    for (let size = 1; size > 0.5 && slide.scrollHeight > 720; size -= 0.04)
      slide.style.setProperty("--fit", size - 0.04);
  }
  body.classList.remove("fitting");
}
function scale() {
  body.style.setProperty("--u", `${Math.min(innerWidth, (innerHeight * 16) / 9) / 100}px`);
}
function toggleFull() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen?.();
}
const keys = {
  ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1,
  Home: -Infinity, End: Infinity,
};
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === " " && event.target.tagName === "BUTTON") return;
  if (event.key === "f") toggleFull();
  const step = event.key === " " && event.shiftKey ? -1 : keys[event.key];
  if (!step) return;
  event.preventDefault();
  show(now + step);
});
addEventListener("touchstart", (event) => { touched = event.changedTouches[0]; }, { passive: true });
addEventListener("touchend", (event) => {
  const x = event.changedTouches[0].clientX - touched.clientX;
  const y = event.changedTouches[0].clientY - touched.clientY;
  if (Math.abs(x) > 50 && Math.abs(x) > 2 * Math.abs(y)) show(now + (x < 0 ? 1 : -1));
});
document.getElementById("back").onclick = () => show(now - 1);
document.getElementById("on").onclick = () => show(now + 1);
document.getElementById("full").onclick = toggleFull;
addEventListener("resize", scale);
addEventListener("hashchange", () => show(Number(location.hash.slice(1)) - 1));
fit();
scale();
body.classList.add("shown");
show(Number(location.hash.slice(1) || 1) - 1);
