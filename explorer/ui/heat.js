// The heat map: drawn by Plotly; a click says which card of the picture is meant.
const CONFIG = { displayModeBar: false, showSendToCloud: false, doubleClick: false };

async function draw(P, gd, data) {
  const fig = JSON.parse(data.fig);
  fig.layout.font.family = getComputedStyle(gd).fontFamily; // the page's own
  gd.style.height = `${fig.layout.height}px`;
  await P.react(gd, fig.data, fig.layout, CONFIG);
  gd.style.visibility = "visible";
  gd.removeAllListeners("plotly_click");
  gd.on("plotly_click", () => {
    gd.__send("click", gd.__target);
    document.querySelector(".explorer-graph")?.scrollIntoView({ behavior: "smooth", block: "center" });
  });
}

// Drawn in a tab that is not open it has no width: it takes the one it gets when it is seen.
function follow(P, gd) {
  gd.__seen = new ResizeObserver(() => { if (gd._fullLayout && gd.clientWidth > 0) P.Plots.resize(gd); });
  gd.__seen.observe(gd);
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const gd = parentElement.querySelector(".explorer-heat"), mine = {};
  gd.__owner = mine; // Streamlit may end an outdated call after it has made a newer one
  gd.__send = setTriggerValue;
  gd.__target = data.target;
  gd.__turn = (gd.__turn || Promise.resolve()).then(() => loadPlotly(data.library)).then(async (P) => {
    if (gd.__owner !== mine) return;
    await draw(P, gd, data);
    if (!gd.__seen) follow(P, gd);
  });
  return () => {
    if (gd.__owner !== mine) return;
    gd.__owner = null;
    gd.__seen?.disconnect();
    gd.__seen = undefined;
    if (window.Plotly) window.Plotly.purge(gd);
  };
}
