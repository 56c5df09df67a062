#include "app/engine/report/page.h"

namespace tessera::page {

const std::string_view kStyle = R"css(
html{background:@canvas;color:@text;font:15px/1.5 Inter,system-ui,sans-serif}
body{max-width:1120px;margin:0 auto;padding:24px 20px 80px}
h1,h2,h3,h4{line-height:1.25;margin:1.6em 0 .5em}
h1{font-size:26px;margin-top:.4em}h2{font-size:20px}h3,h4{font-size:16px}
pre,code,.v{font-family:"JetBrains Mono",ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:13px;
font-variant-ligatures:none}
pre{background:@panel;border:1px solid @line;border-radius:6px;padding:10px 12px;overflow-x:auto;white-space:pre-wrap}
code{overflow-wrap:anywhere}
.v{margin:.4em 0;overflow-wrap:anywhere}
.a{margin:.4em 0;padding-left:10px;border-left:3px solid @line}
.a.proved{border-color:@proved}.a.refuted,.a.error{border-color:@refuted}.a.unknown{border-color:@unknown}
.proved b{color:@proved}.refuted b,.error b{color:@refuted}.unknown b{color:@unknown}
.m{color:@muted}
figure{margin:1.2em 0;border:1px solid @line;border-radius:8px;break-inside:avoid}
figure header,figcaption{padding:8px 12px;overflow-wrap:anywhere}
figure header b{font-weight:600}
.b{display:inline-block;border:1px solid @line;border-radius:9px;padding:0 8px;margin-right:6px;font-size:12px}
figcaption{border-top:1px solid @line;font-size:13px;color:@muted}
.p{overflow:auto}
.p svg{display:block;max-width:100%;height:auto;margin:0 auto}
.p svg text{white-space:pre;font-variant-ligatures:none}
.z{float:right}
.z button,#t{font:13px Inter,system-ui,sans-serif;color:@text;background:@panel;border:1px solid @line;
border-radius:5px;min-width:28px;margin-left:4px;cursor:pointer}
#t{position:absolute;right:12px;top:12px;padding:3px 8px}
.lit rect{fill:none;stroke:@lit;stroke-width:2.5}
.at{min-height:1.5em}
svg:focus{outline:2px solid @lit}
.z,#t{display:none}.js .z,.js #t{display:inline-block}
@media print{#t,.z{display:none!important}body{max-width:none;padding:0}.p{max-height:none!important;overflow:visible}
.p svg{width:auto!important;max-width:100%!important}}
)css";

const std::string_view kScript = R"js(
(() => {
'use strict';
const root = document.documentElement, ns = 'http://www.w3.org/2000/svg';
root.classList.add('js');
const toggle = document.getElementById('t');
const prefersDark = matchMedia('(prefers-color-scheme: dark)');
const dark = () => (root.dataset.theme || (prefersDark.matches ? 'dark' : 'light')) === 'dark';
toggle.onclick = () => { root.dataset.theme = dark() ? 'light' : 'dark'; };

// pictures: the grids with the points of their squares; cells: where each point is.
const cells = new Map(), pictures = [];
for (const figure of document.querySelectorAll('figure')) {
  const svg = figure.querySelector('.p svg');
  const data = JSON.parse(figure.dataset.points || '{"g":[],"d":[]}');
  const picture = {svg, grids: data.g, at: figure.querySelector('.at'), box: figure.querySelector('.p'), zoom: 0};
  picture.lit = svg.appendChild(document.createElementNS(ns, 'g'));
  picture.lit.setAttribute('class', 'lit');
  let domain = '';
  const point = word => {
    const colon = word.indexOf(':');
    if (colon >= 0) domain = data.d[parseInt(word.slice(0, colon), 10)];
    return domain + ':' + parseInt(word.slice(colon + 1), 36);
  };
  data.g.forEach((grid, g) => {
    grid.points = [];
    const add = (k, names) => {
      grid.points[k] = names;
      for (const name of names) {
        if (!cells.has(name)) cells.set(name, []);
        cells.get(name).push([picture, g, k]);
      }
    };
    grid.p.split('|').forEach((row, r) => {
      const step = row.indexOf('~');
      if (step >= 0) {
        const [d, first] = point(row.slice(0, step)).split(':'), by = parseInt(row.slice(step + 1), 36);
        for (let c = 0; c < grid.c; ++c) add(r * grid.c + c, [d + ':' + (Number(first) + c * by)]);
      } else {
        row.split(' ').forEach((cell, c) => add(r * grid.c + c, cell ? cell.split('.').map(point) : []));
      }
    });
  });
  pictures.push(picture);
}

const show = (picture, g, k) => {
  for (const p of pictures) p.lit.replaceChildren();
  for (const p of pictures) if (p.at) p.at.textContent = '';
  if (!picture) return;
  const seen = new Map();
  let count = 0;
  for (const name of picture.grids[g].points[k])
    for (const [p, pg, pk] of cells.get(name)) {
      const id = pg + ' ' + pk;
      if (!seen.has(p)) seen.set(p, new Set());
      if (seen.get(p).has(id) || ++count > 4096) continue;
      seen.get(p).add(id);
      const grid = p.grids[pg], rect = document.createElementNS(ns, 'rect');
      const set = (name, value) => rect.setAttribute(name, value);
      set('x', grid.x + (pk % grid.c) * grid.w);
      set('y', grid.y + Math.floor(pk / grid.c) * grid.h);
      set('width', grid.w);
      set('height', grid.h);
      p.lit.appendChild(rect);
    }
  const grid = picture.grids[g], others = [...seen.keys()].filter(p => p !== picture).length;
  let text = 'row ' + Math.floor(k / grid.c) + ', column ' + k % grid.c;
  if (others) text += '; also in ' + others + (others > 1 ? ' other pictures' : ' other picture');
  if (picture.at) picture.at.textContent = text;
};

for (const picture of pictures) {
  const {svg, box} = picture;
  if (picture.grids.length) svg.tabIndex = 0;
  let cursor = null;
  const squareAt = e => {
    const m = svg.getScreenCTM();
    if (!m) return null;
    const q = new DOMPoint(e.clientX, e.clientY).matrixTransform(m.inverse());
    for (let g = 0; g < picture.grids.length; ++g) {
      const grid = picture.grids[g], c = Math.floor((q.x - grid.x) / grid.w), r = Math.floor((q.y - grid.y) / grid.h);
      if (r >= 0 && r < grid.r && c >= 0 && c < grid.c) return [g, r * grid.c + c];
    }
    return null;
  };
  svg.addEventListener('pointermove', e => {
    cursor = squareAt(e);
    if (cursor) show(picture, ...cursor); else show();
  });
  svg.addEventListener('pointerleave', () => show());
  svg.addEventListener('keydown', e => {
    const by = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0]}[e.key];
    if (!by || !picture.grids.length) return;
    const [g, k] = cursor || [0, 0], grid = picture.grids[g];
    const r = Math.floor(k / grid.c) + by[0], c = k % grid.c + by[1];
    if (r < 0 || r >= grid.r || c < 0 || c >= grid.c) return;
    cursor = cursor ? [g, r * grid.c + c] : [0, 0];
    show(picture, ...cursor);
    e.preventDefault();
  });
  // zoom 0: the picture fits the page.
  const wide = Number(svg.getAttribute('viewBox').split(' ')[2]);
  const zoomTo = (zoom, x, y) => {
    const old = svg.getBoundingClientRect(), frame = box.getBoundingClientRect();
    const fx = ((x ?? frame.left + frame.width / 2) - old.left) / old.width;
    const fy = ((y ?? frame.top + frame.height / 2) - old.top) / old.height;
    picture.zoom = zoom && Math.min(16, Math.max(0.1, zoom));
    svg.style.maxWidth = zoom ? 'none' : '';
    box.style.maxHeight = zoom ? '86vh' : '';
    svg.style.width = zoom ? wide * picture.zoom + 'px' : '';
    const now = svg.getBoundingClientRect();
    box.scrollLeft += now.left + fx * now.width - (x ?? frame.left + frame.width / 2);
    box.scrollTop += now.top + fy * now.height - (y ?? frame.top + frame.height / 2);
  };
  const scale = () => svg.getBoundingClientRect().width / wide;
  for (const button of box.parentNode.querySelectorAll('.z button'))
    button.onclick = () => zoomTo(button.value === '0' ? 0 : scale() * Number(button.value));
  box.addEventListener('wheel', e => {
    if (!e.ctrlKey) return;
    e.preventDefault();
    zoomTo(scale() * Math.exp(-e.deltaY / 300), e.clientX, e.clientY);
  }, {passive: false});
  let from = null;
  box.addEventListener('pointerdown', e => {
    if (e.button === 0 && e.pointerType === 'mouse') from = [e.clientX, e.clientY, box.scrollLeft, box.scrollTop];
  });
  addEventListener('pointermove', e => {
    if (!from) return;
    box.scrollLeft = from[2] + from[0] - e.clientX;
    box.scrollTop = from[3] + from[1] - e.clientY;
  });
  addEventListener('pointerup', () => { from = null; });
}
})();
)js";

const std::string_view kScriptHash = "1w0Fdz+7Dnlvbz9YyV2RqfzoA2+3Bzp3+kkyii/UpAY=";

}  // namespace tessera::page
