// Drag to move, wheel or + and - to zoom at the pointer, f or 0 to see the whole picture. Names are found with the browser's own search.
const svg = document.querySelector("svg"), whole = svg.viewBox.baseVal;
const full = { x: whole.x, y: whole.y, w: whole.width, h: whole.height };
let view = { ...full };

function show() { svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.w} ${view.h}`); }

function zoom(factor, x, y) {
  const w = Math.min(full.w * 4, Math.max(60, view.w * factor)), k = w / view.w;
  view = { x: x - (x - view.x) * k, y: y - (y - view.y) * k, w, h: view.h * k };
  show();
}

function at(event) {
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  return [point.x, point.y];
}

svg.addEventListener("wheel", (event) => { event.preventDefault(); zoom(Math.exp(event.deltaY / 500), ...at(event)); }, { passive: false });
svg.addEventListener("pointerdown", (event) => {
  if (event.button !== 0) return;
  const [x, y] = at(event);
  const move = (next) => { const [nx, ny] = at(next); view.x += x - nx; view.y += y - ny; show(); };
  svg.setPointerCapture(event.pointerId);
  svg.addEventListener("pointermove", move);
  svg.addEventListener("pointerup", () => svg.removeEventListener("pointermove", move), { once: true });
});
addEventListener("keydown", (event) => {
  const middle = [view.x + view.w / 2, view.y + view.h / 2];
  if (event.key === "+") zoom(0.8, ...middle);
  if (event.key === "-") zoom(1.25, ...middle);
  if (event.key === "f" || event.key === "0") { view = { ...full }; show(); }
});
