// Plotly inside a Streamlit component: keeps zoom when the figure changes, lets text follow the zoom like a map,
// and reports the id of what is clicked.
const READABLE = 0.7; // a picture that would have to be drawn smaller than this is shown in part, not whole
const LARGEST = 1.25;
const REACH = 11; // pixels round a barrier's sign that count as a hit
const CONFIG = {
  scrollZoom: true, displaylogo: false, showSendToCloud: false, responsive: true, doubleClick: false,
  displayModeBar: true,
};

const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

function rescale(P, gd) {
  if (!gd._fullLayout) return undefined; // Streamlit took the drawing away meanwhile
  const axis = gd._fullLayout.yaxis;
  const k = axis._length / Math.abs(axis.range[1] - axis.range[0]);
  if (Math.abs(k - (gd.__k || 0)) < 1e-3) return;
  gd.__k = k;
  const change = { "textfont.size": [], "line.width": [] }, which = [];
  gd.data.forEach((trace, index) => {
    if (!trace.meta) return;
    which.push(index);
    change["textfont.size"].push(trace.meta.text ? clamp(trace.meta.text * k, 1, 30) : undefined);
    change["line.width"].push(trace.meta.line ? clamp(trace.meta.line * k, 0.5, 5) : undefined);
  });
  return which.length ? P.restyle(gd, change, which) : undefined;
}

function view(gd, data, whole) {
  const room = gd._fullLayout._size, [W, H] = data.size, [fx, fy] = data.focus || [0, 0];
  const fit = Math.min(room.w / W, room.h / H);
  const k = whole ? Math.min(fit, LARGEST) : clamp(fit, READABLE, LARGEST);
  const w = room.w / k, h = room.h / k;
  const left = w >= W ? (W - w) / 2 : clamp(fx - w / 2, 0, W - w);
  const top = h >= H ? (H - h) / 2 : clamp(fy - h / 2, 0, H - h);
  return { "xaxis.range": [left, left + w], "yaxis.range": [top + h, top] };
}

function hit(gd, data, event) {
  const box = gd.getBoundingClientRect(), { xaxis, yaxis } = gd._fullLayout;
  const px = event.clientX - box.left - xaxis._offset, py = event.clientY - box.top - yaxis._offset;
  if (px < 0 || py < 0 || px > xaxis._length || py > yaxis._length) return null;
  const x = xaxis.p2d(px), y = yaxis.p2d(py), reach = REACH / (gd.__k || 1);
  const mark = data.marks.find(([, mx, my]) => Math.hypot(x - mx, y - my) < reach);
  if (mark) return mark[0];
  const inside = data.targets.filter(([, l, t, w, h]) => x >= l && x <= l + w && y >= t && y <= t + h);
  inside.sort((a, b) => a[3] * a[4] - b[3] * b[4]); // the smallest is the innermost
  return inside.length ? inside[0][0] : "";
}

function wire(P, gd) {
  let from = null;
  const over = (event) => event.target.closest?.(".modebar, .legend, .infolayer");
  gd.addEventListener("pointerdown", (event) => { from = over(event) ? null : event; }, true);
  window.addEventListener("pointerup", gd.__up = (event) => {
    const start = from; from = null;
    if (!start || Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) > 4) return;
    const id = hit(gd, gd.__data, event);
    if (id !== null) gd.__send("click", id);
  }, true);
  window.addEventListener("keydown", gd.__down = (event) => press(P, gd, event));
  const cursor = (name) => () => { const layer = gd.querySelector(".nsewdrag"); if (layer) layer.style.cursor = name; };
  gd.on("plotly_hover", cursor("pointer"));
  gd.on("plotly_unhover", cursor(""));
  gd.on("plotly_relayout", (change) => {
    if (Object.keys(change).some((key) => key.startsWith("xaxis") || key.startsWith("yaxis") || key === "autosize")) rescale(P, gd);
  });
}

async function look(P, gd, whole) {
  if (gd._fullLayout) await P.relayout(gd, view(gd, gd.__data, whole));
  await rescale(P, gd);
}

// What stands in both pictures stays where it is on the screen; null where nothing is known to.
function moved(old, data, axes) {
  if (old.key !== data.key) return null;
  if (old.size[0] === data.size[0] && old.size[1] === data.size[1]) return axes;
  const find = (all) => all.targets.find(([id]) => id === data.anchor), from = find(old), to = find(data);
  if (!from || !to) return null;
  const [dx, dy] = [to[1] - from[1], to[2] - from[2]];
  return { x: axes.x.map((x) => x + dx), y: axes.y.map((y) => y + dy) };
}

// Bring a place into sight without changing the size of things.
function toward(axes, [, x, y]) {
  const [l, r] = axes.x, [b, t] = axes.y, w = r - l, h = b - t;
  const seen = x > l + 0.1 * w && x < r - 0.1 * w && y > t + 0.1 * h && y < b - 0.1 * h;
  return seen ? axes : { x: [x - w / 2, x + w / 2], y: [y + h / 2, y - h / 2] };
}

function press(P, gd, event) {
  const at = event.target, typing = at.closest?.("input, textarea, select, [contenteditable=true], [role=combobox]");
  if (typing || event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || !gd.__data) return;
  if (at.closest?.("[role=dialog], [data-baseweb=popover]")) return; // Esc closes those
  if (event.key === "f") gd.__turn = gd.__turn.then(() => look(P, gd, true));
  else if (event.key === "n") gd.__send("key", "next barrier");
  else if (event.key === "u" || event.key === "Escape") gd.__send("key", "up");
  else if (event.key === "/") document.querySelector(`input[aria-label="${gd.__data.search}"]`)?.focus();
  else return;
  event.preventDefault();
}

function buttons(P, gd) {
  // behind a drawing that is on its way: a press must not meet a picture that is just being replaced
  const go = (whole) => () => { gd.__turn = gd.__turn.then(() => look(P, gd, whole)); };
  const icon = (path) => ({ width: 24, height: 24, path });
  return [[
    "zoomIn2d", "zoomOut2d",
    { name: "whole", title: "Show the whole picture", click: go(true),
      icon: icon("M3 3h7v2H5v5H3zM14 3h7v7h-2V5h-5zM3 14h2v5h5v2H3zM19 14h2v7h-7v-2h5z") },
    { name: "readable", title: "Back to a readable size", click: go(false),
      icon: icon("M12 3 2 12h3v8h6v-6h2v6h6v-8h3z") },
  ]];
}

async function draw(P, gd, data) {
  const fig = JSON.parse(data.fig), now = gd._fullLayout;
  let axes = gd.__data && now ? moved(gd.__data, data, { x: [...now.xaxis.range], y: [...now.yaxis.range] }) : null;
  if (axes && data.goal && data.goal[0] !== gd.__jump) axes = toward(axes, data.goal);
  gd.__jump = data.goal ? data.goal[0] : gd.__jump;
  fig.layout.font.family = getComputedStyle(gd).fontFamily; // the page's own
  gd.__data = data;
  gd.__k = 0;
  if (axes) { fig.layout.xaxis.range = axes.x; fig.layout.yaxis.range = axes.y; }
  await P.react(gd, fig.data, fig.layout, { ...CONFIG, modeBarButtons: gd.__buttons ??= buttons(P, gd) });
  await (axes ? rescale(P, gd) : look(P, gd, false));
  gd.style.visibility = "visible";
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const gd = parentElement.querySelector(".explorer-graph"), mine = {};
  gd.__owner = mine; // Streamlit may end an outdated call after it has made a newer one
  gd.__send = setTriggerValue;
  gd.__turn = (gd.__turn || Promise.resolve()).then(() => loadPlotly(data.library)).then(async (P) => {
    if (gd.__owner !== mine) return;
    await draw(P, gd, data);
    if (!gd.__up) wire(P, gd);
  }).catch((error) => {
    gd.style.visibility = "visible";
    if (window.Plotly) throw error;
    gd.textContent = "The drawing library plotly.js did not arrive from this server.";
  });
  return () => {
    if (gd.__owner !== mine) return;
    gd.__owner = null;
    if (gd.__up) window.removeEventListener("pointerup", gd.__up, true);
    if (gd.__down) window.removeEventListener("keydown", gd.__down);
    gd.__up = gd.__down = undefined;
    gd.__data = undefined;
    if (window.Plotly) window.Plotly.purge(gd);
  };
}
