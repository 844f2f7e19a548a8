// once per page, whoever asks; a failed try may be repeated
function loadPlotly(address) {
  return window.__explorerPlotly ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = new URL(address, document.baseURI).href;
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => { window.__explorerPlotly = undefined; script.remove(); reject(new Error("plotly.js")); };
    document.head.append(script);
  });
}
