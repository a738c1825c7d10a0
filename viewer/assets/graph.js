// The drawing of a meeting's graph. Agents and seats are boxes, nested nodes boxes
// around them. A channel between two is the label of an arrow; one that more share is
// a plate of its own, which its speakers point to and which points to its hearers.
"use strict";

const mostNodes = 300, mostEdges = 1500;

const svg = (name, attributes = {}, ...children) => {
  const e = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  e.append(...children);
  return e;
};

const measure = (() => {
  const pen = document.createElement("canvas").getContext("2d");
  return (text, size) => {
    pen.font = `600 ${size}px system-ui, "Segoe UI", "Liberation Sans", "DejaVu Sans", sans-serif`;
    return pen.measureText(text).width;
  };
})();

const shorten = text => text.length > 28 ? text.slice(0, 27) + "…" : text;

// wires says which leaves post to each channel, and which hear it.
function wires(data) {
  const channels = data.channels.map(() => ({ from: [], to: [] }));
  data.nodes.forEach((node, i) => {
    if (node.kind === "nested") return;
    for (const c of node.out) channels[c].from.push(i);
    for (const c of node.in) channels[c].to.push(i);
  });
  return channels;
}

// plan is what is to be drawn: plates, and arrows between leaves and plates.
function plan(data) {
  const plates = [], edges = [], labels = new Map(); // labels: one arrow for all channels between two
  wires(data).forEach(({ from, to }, c) => {
    if (from.length === 1 && to.length === 1 && from[0] !== to[0]) {
      const key = from[0] + ">" + to[0];
      if (!labels.has(key)) labels.set(key, { v: "n" + from[0], w: "n" + to[0], channels: [] });
      labels.get(key).channels.push(c);
      return;
    }
    if (from.length + to.length === 0) return;
    plates.push({ channel: c, users: [...from, ...to] });
    const both = new Set(from.filter(n => to.includes(n)));
    for (const n of from) edges.push({ v: "n" + n, w: "c" + c, channels: [c], both: both.has(n) });
    for (const n of to) if (!both.has(n)) edges.push({ v: "c" + c, w: "n" + n, channels: [c] });
  });
  return { plates, edges: [...labels.values(), ...edges] };
}

// common is the innermost nested node that all of them are in, or -1.
function common(data, nodes) {
  const above = n => { const list = []; for (let p = data.nodes[n].parent; p >= 0; p = data.nodes[p].parent) list.push(p); return list; };
  const shared = nodes.map(above).reduce((a, b) => a.filter(n => b.includes(n)));
  return shared.length ? shared[0] : -1;
}

function layout(data, wide) {
  const g = new dagre.graphlib.Graph({ compound: true, multigraph: true });
  g.setGraph({ rankdir: wide ? "LR" : "TB", nodesep: 22, ranksep: 42, edgesep: 14, marginx: 16, marginy: 16 });
  g.setDefaultEdgeLabel(() => ({}));
  data.nodes.forEach((node, i) => {
    const box = node.kind === "nested";
    g.setNode("n" + i, box ? {} : { width: Math.max(54, measure(shorten(node.label), 13) + 26), height: 32 });
    if (node.parent >= 0) g.setParent("n" + i, "n" + node.parent);
  });
  const p = plan(data);
  for (const plate of p.plates) {
    g.setNode("c" + plate.channel, { width: measure(shorten(data.channels[plate.channel]), 11.5) + 18, height: 22 });
    const room = common(data, plate.users);
    if (room >= 0) g.setParent("c" + plate.channel, "n" + room);
  }
  p.edges.forEach((edge, i) => {
    const text = edge.v[0] === "n" && edge.w[0] === "n" ? shorten(edge.channels.map(c => data.channels[c]).join(", ")) : "";
    g.setEdge(edge.v, edge.w, text ? { text, width: measure(text, 11.5) + 8, height: 16, labelpos: "c" } : {}, "e" + i);
  });
  dagre.layout(g);
  return { g, edges: p.edges, plates: p.plates };
}

// curve goes smoothly by way of points.
function curve(points) {
  let d = `M${points[0].x},${points[0].y}`;
  for (let i = 1; i < points.length - 1; i++) {
    const next = points[i + 1], last = i === points.length - 2;
    const x = last ? next.x : (points[i].x + next.x) / 2, y = last ? next.y : (points[i].y + next.y) / 2;
    d += `Q${points[i].x},${points[i].y} ${x},${y}`;
  }
  if (points.length === 2) d += `L${points[1].x},${points[1].y}`;
  return d;
}

// tip is the head of an arrow that comes from one point to another.
function tip(from, to) {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const x = (to.x - from.x) / length, y = (to.y - from.y) / length;
  const at = (along, across) => `${to.x - along * x - across * y},${to.y - along * y + across * x}`;
  return svg("path", { class: "tip", d: `M${to.x},${to.y}L${at(8, 3.6)}L${at(8, -3.6)}Z` });
}

const rectangle = (n, radius) => svg("rect", { x: n.x - n.width / 2, y: n.y - n.height / 2, width: n.width, height: n.height, rx: radius });

// frameOf is what the drawing takes up: an arrow may run outside of the layout's own
// frame.
function frameOf(g) {
  const margin = 6, size = g.graph();
  const points = g.edges().flatMap(e => g.edge(e).points);
  const x = Math.min(0, ...points.map(p => p.x - margin)), y = Math.min(0, ...points.map(p => p.y - margin));
  return {
    x, y, width: Math.max(size.width, ...points.map(p => p.x + margin)) - x, height: Math.max(size.height, ...points.map(p => p.y + margin)) - y,
  };
}

// draw puts the drawing into a holder. It returns what lights parts of it, or null
// where there is too much to draw. chosen is called with the number of an agent.
function draw(holder, data, chosen) {
  holder.replaceChildren();
  const leaves = data.nodes.filter(n => n.kind !== "nested").length;
  const wired = data.nodes.reduce((sum, n) => sum + n.in.length + n.out.length, 0);
  if (leaves === 0 || leaves > mostNodes || wired > mostEdges) {
    const note = document.createElement("p");
    note.textContent = leaves ? `${leaves} agents are too many to draw; the posts tell who spoke.` : "The graph is empty.";
    holder.append(note);
    return null;
  }
  const { g, edges, plates } = layout(data, holder.clientWidth > 640);
  const box = frameOf(g);
  const picture = svg("svg", { viewBox: `${box.x} ${box.y} ${box.width} ${box.height}`, width: box.width, height: box.height, role: "group", "aria-label": "Graph of the meeting" });
  const nodes = [], channels = data.channels.map(() => []), lines = [];
  data.nodes.forEach((node, i) => {
    if (node.kind !== "nested") return;
    const at = g.node("n" + i);
    picture.append(svg("g", { class: "box" }, rectangle(at, 8),
      svg("text", { x: at.x - at.width / 2 + 9, y: at.y - at.height / 2 + 15 }, shorten(node.label)), svg("title", {}, node.name)));
  });
  edges.forEach((edge, i) => {
    const at = g.edge({ v: edge.v, w: edge.w, name: "e" + i }), points = at.points;
    const line = svg("g", { class: "edge" }, svg("path", { d: curve(points) }), tip(points[points.length - 2], points[points.length - 1]));
    if (edge.both) line.append(tip(points[1], points[0]));
    if (at.text) line.append(svg("text", { x: at.x, y: at.y + 4, "text-anchor": "middle" }, at.text));
    picture.append(line);
    lines.push({ line, edge });
  });
  for (const plate of plates) {
    const at = g.node("c" + plate.channel);
    const e = svg("g", { class: "channel" }, rectangle(at, 11),
      svg("text", { x: at.x, y: at.y + 4, "text-anchor": "middle" }, shorten(data.channels[plate.channel])), svg("title", {}, "channel " + data.channels[plate.channel]));
    channels[plate.channel].push(e);
    picture.append(e);
  }
  data.nodes.forEach((node, i) => {
    if (node.kind === "nested") return;
    const at = g.node("n" + i);
    const e = svg("g", { class: "node " + node.kind, tabindex: 0, role: "button", "aria-label": `${node.kind === "external" ? "Seat" : "Agent"} ${node.name}`, "data-node": i },
      rectangle(at, 5), svg("text", { x: at.x, y: at.y + 4.5, "text-anchor": "middle" }, shorten(node.label)), svg("title", {}, node.name));
    e.addEventListener("click", () => chosen(i));
    e.addEventListener("keydown", event => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); chosen(i); } });
    nodes[i] = e;
    picture.append(e);
  });
  holder.append(picture);
  return lamp(nodes, channels, lines);
}

// lamp lights agents, each in its role, and channels.
function lamp(nodes, channels, lines) {
  const roles = ["speaks", "hears", "wrote", "chosen", "waits"];
  return light => {
    nodes.forEach((e, i) => { for (const role of roles) e.classList.toggle(role, (light[role] || []).includes(i)); });
    const lit = new Set(light.channels || []), speakers = new Set(light.speaks || []), hearers = new Set(light.hears || []);
    channels.forEach((list, c) => list.forEach(e => e.classList.toggle("lit", lit.has(c))));
    const on = end => end[0] === "c" || speakers.has(+end.slice(1)), off = end => end[0] === "c" || hearers.has(+end.slice(1));
    for (const { line, edge } of lines) {
      const used = edge.channels.some(c => lit.has(c));
      line.classList.toggle("lit", used && (on(edge.v) && off(edge.w) || Boolean(edge.both) && off(edge.v)));
    }
  };
}
