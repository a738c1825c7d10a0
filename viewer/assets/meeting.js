// The page of a meeting: its graph, a slider over its turns, and its posts.
"use strict";

const page = document.getElementById("meeting");
const slider = document.getElementById("turn");
const list = document.getElementById("posts");
const detail = document.getElementById("detail");
const saying = document.getElementById("saying");
const drawing = document.getElementById("drawing");
const now = document.getElementById("now"); // the turn's posts, where the log is not beside the drawing

let data, light, kids, ends; // kids: what each post led to; ends: how many posts there are after each turn
let pick = null; // {post} or {node}

const element = (name, className, ...children) => {
  const e = document.createElement(name);
  if (className) e.className = className;
  e.append(...children);
  return e;
};
const isolated = (text, className) => { const e = element("bdi", className); e.textContent = text; return e; };
const names = nodes => nodes.map(n => data.nodes[n].name).join(", ") || "nobody";
const ids = posts => posts.map(p => data.posts[p].id).join(", ");
const channelsOf = p => p.to.map(c => data.channels[c]).join(", ") || "nowhere";

async function load() {
  const answer = await fetch(page.dataset.meeting);
  if (!answer.ok) return;
  const before = data, atEnd = !before || +slider.value === before.turns.length;
  data = await answer.json();
  kids = data.posts.map(() => []);
  data.posts.forEach((p, i) => { for (const t of p.thread) kids[t].push(i); });
  ends = [data.inputs, ...data.turns.map(t => t.end)];
  page.hidden = false;
  if (!before || JSON.stringify(before.nodes) !== JSON.stringify(data.nodes)) light = draw(drawing, data, n => choose({ node: n }));
  slider.max = data.turns.length;
  if (!before) slider.value = asked();
  else if (atEnd) slider.value = data.turns.length;
  fillPosts();
  show(true);
}

// asked is the turn that the address asks for, else the last one.
function asked() {
  const m = /^#turn=(\d+)$/.exec(location.hash);
  return m ? Math.min(+m[1], data.turns.length) : data.turns.length;
}

function fillPosts() {
  const top = list.scrollTop;
  list.classList.toggle("long", data.posts.length > 500);
  list.replaceChildren(...data.posts.map(item));
  list.scrollTop = top;
  document.getElementById("count").textContent = `${data.posts.length} in ${data.turns.length} turns`;
}

// item is a post in a list.
function item(p, i) {
  const button = element("button", "post");
  button.type = "button";
  const text = element("span", "text");
  text.textContent = p.text + (p.cut ? "…" : "");
  text.dir = "auto";
  button.append(element("span", "role"), isolated(p.id, "id"), element("span", "to", " → ", isolated(channelsOf(p))));
  if (p.thread.length) button.append(element("span", "thread", "answers ", isolated(ids(p.thread))));
  button.append(text);
  button.addEventListener("click", () => choose({ post: i }));
  return element("li", "", button);
}

// spread follows threads, up or down, from a post.
function spread(from, next) {
  const seen = new Set(), todo = [from];
  while (todo.length) for (const p of next(todo.pop())) if (!seen.has(p)) { seen.add(p); todo.push(p); }
  return seen;
}

function choose(what) {
  pick = what;
  show(false);
}

// show puts the turn, and what is picked, on the page.
function show(scroll) {
  const t = +slider.value, turn = data.turns[t - 1];
  say(t, turn);
  const marks = pick ? (pick.post !== undefined ? marksOfPost(pick.post) : marksOfNode(pick.node)) : marksOfTurn(turn);
  [...list.children].forEach((li, i) => {
    const mark = marks.posts.get(i);
    li.className = [mark ? mark[0] : pick ? "aside" : "", i >= ends[t] ? "later" : ""].join(" ").trim();
    li.querySelector(".role").textContent = mark ? mark[1] : "";
    li.firstChild.setAttribute("aria-pressed", String(Boolean(pick) && pick.post === i));
  });
  if (light) light({ ...marks, waits: data.waiting.map(w => w.seat) });
  document.getElementById("clear").hidden = !pick;
  document.getElementById("back").disabled = document.getElementById("first").disabled = t === 0;
  document.getElementById("next").disabled = document.getElementById("latest").disabled = t === data.turns.length;
  describe();
  tellNow(marks.posts);
  if (!scroll) return;
  aim();
  reveal(turn);
}

// mostNow is how many posts of one turn are shown below the slider.
const mostNow = 8;

// tellNow lists what the turn took and said. What is picked is described instead.
function tellNow(marked) {
  const some = pick ? [] : [...marked].slice(0, mostNow);
  if (pick && now.contains(document.activeElement)) detail.focus({ preventScroll: true });
  now.replaceChildren(...some.map(([i, [name, role]]) => {
    const li = item(data.posts[i], i);
    li.className = name;
    li.querySelector(".role").textContent = role;
    return li;
  }));
}

// aim scrolls the drawing to who speaks, together with who hears it where there is room
// for both.
function aim() {
  const frame = drawing.getBoundingClientRect();
  const rectangles = role => [...drawing.querySelectorAll(".node." + role)].map(n => n.getBoundingClientRect());
  const span = list => ({ top: Math.min(...list.map(r => r.top)), bottom: Math.max(...list.map(r => r.bottom)) });
  const speaks = rectangles("speaks"), hears = rectangles("hears");
  if (speaks.length + hears.length === 0) return;
  let goal = span([...speaks, ...hears]);
  if (goal.bottom - goal.top > frame.height) goal = span(speaks.length ? speaks : hears.slice(0, 1));
  drawing.scrollTop += (goal.top + goal.bottom - frame.top - frame.bottom) / 2;
}

// reveal scrolls to what the turn said. In a long log, how high posts out of sight are
// is a guess, which is mended when they come into sight, so that it looks again.
function reveal(turn, looks = list.classList.contains("long") ? 4 : 1) {
  const at = turn ? turn.made[0] !== undefined ? turn.made[0] : turn.took : 0;
  const li = list.children[Math.max(at, 0)];
  if (pick || turn !== data.turns[+slider.value - 1] || !li || list.scrollHeight <= list.clientHeight) return;
  list.scrollTop += li.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 3;
  if (looks > 1) requestAnimationFrame(() => reveal(turn, looks - 1));
}

function marksOfTurn(turn) {
  const posts = new Map();
  if (!turn) {
    for (let i = 0; i < ends[0]; i++) posts.set(i, ["made", "from outside"]);
    return { posts, channels: data.posts.slice(0, ends[0]).flatMap(p => p.to), hears: data.posts.slice(0, ends[0]).flatMap(p => p.heard) };
  }
  if (turn.took >= 0) posts.set(turn.took, ["took", "taken"]);
  for (const p of turn.made) posts.set(p, ["made", "said"]);
  const made = turn.made.map(p => data.posts[p]);
  const wrote = turn.took >= 0 && data.posts[turn.took].author >= 0 ? [data.posts[turn.took].author] : [];
  return { posts, speaks: [turn.agent], wrote: wrote.filter(n => n !== turn.agent), hears: made.flatMap(p => p.heard).filter(n => n !== turn.agent), channels: made.flatMap(p => p.to) };
}

function marksOfPost(i) {
  const posts = new Map(), p = data.posts[i];
  const cone = spread(i, n => data.posts[n].thread), led = spread(i, n => kids[n]);
  for (const n of cone) posts.set(n, ["cone", "led here"]);
  for (const n of led) posts.set(n, ["led", "came of it"]);
  posts.set(i, ["picked", "chosen"]);
  const authors = [...cone].map(n => data.posts[n].author).filter(n => n >= 0 && n !== p.author);
  return { posts, speaks: p.author >= 0 ? [p.author] : [], wrote: authors, hears: p.heard.filter(n => n !== p.author), channels: p.to };
}

function marksOfNode(n) {
  const posts = new Map();
  data.posts.forEach((p, i) => {
    const said = p.author === n, heard = p.heard.includes(n);
    if (said || heard) posts.set(i, [said ? "made" : "led", said && heard ? "said and heard" : said ? "said" : "heard"]);
  });
  return { posts, chosen: [n] };
}

// say tells the turn in words.
function say(t, turn) {
  if (!turn) {
    saying.textContent = data.turns.length ? `Before the first of ${data.turns.length} turns: ${ends[0]} ${ends[0] === 1 ? "post" : "posts"} from outside.` : "No turn has been taken yet.";
    return;
  }
  const when = turn.seat ? "answered from outside" : turn.at + (turn.cached ? " · taken in an earlier attempt" : "");
  const parts = [`Turn ${t} of ${data.turns.length} · ${when}: `, isolated(turn.agent < 0 ? "somebody" : data.nodes[turn.agent].name)];
  if (turn.took >= 0) parts.push(" took ", isolated(data.posts[turn.took].id));
  if (turn.error) { const e = element("span", "error"); e.textContent = " and failed: " + turn.error; parts.push(e); }
  else if (turn.begun) parts.push(" and is at it.");
  else if (!turn.made.length) parts.push(" and said nothing.");
  else {
    const heard = [...new Set(turn.made.flatMap(p => data.posts[p].heard))];
    parts.push(turn.seat ? " said " : " and said ", isolated(ids(turn.made)), ", heard by ", isolated(names(heard)), ".");
  }
  saying.replaceChildren(...parts);
}

const fact = (label, text) => element("p", "row", element("span", "quiet", label + " "), isolated(text));

// describe fills the details of what is picked.
function describe() {
  const key = JSON.stringify(pick) + data.seq;
  if (detail.dataset.shows === key) return;
  detail.dataset.shows = key;
  detail.replaceChildren();
  if (!pick) return;
  if (pick.node !== undefined) describeNode(pick.node); else describePost(pick.post);
}

function describeNode(n) {
  const node = data.nodes[n];
  const title = element("h2", "", isolated(node.name));
  const waits = data.waiting.find(w => w.seat === n);
  detail.append(title, fact(node.kind === "external" ? "seat that hears" : "hears", node.in.map(c => data.channels[c]).join(", ") || "nothing"),
    fact("posts to", node.out.map(c => data.channels[c]).join(", ") || "nothing"),
    fact("heard", `${data.posts.filter(p => p.heard.includes(n)).length} posts`),
    fact("said", `${data.posts.filter(p => p.author === n).length} posts`));
  if (waits) detail.append(fact("waiting here", ids(waits.posts)));
}

async function describePost(i) {
  const p = data.posts[i], body = element("pre");
  body.textContent = p.text;
  body.tabIndex = 0;
  body.dir = "auto";
  detail.append(element("h2", "", isolated(p.id)), fact("to", channelsOf(p)), fact("heard by", names(p.heard)));
  if (p.thread.length) detail.append(fact("answers", ids(p.thread)));
  if (kids[i].length) detail.append(fact("answered by", ids(kids[i])));
  detail.append(body);
  const link = element("a", "", "Download");
  link.href = `${page.dataset.post}&n=${i + 1}`;
  link.download = "";
  const foot = element("p", "cut", link, " " + p.size);
  if (p.turn >= 0) {
    const go = element("button", "", `Go to turn ${p.turn + 1}`);
    go.type = "button";
    go.addEventListener("click", () => { pick = null; move(p.turn + 1); });
    foot.append(" ", go);
  }
  detail.append(foot);
  const answer = await fetch(`${page.dataset.post}&n=${i + 1}&show=1`);
  if (!answer.ok || !body.isConnected) return;
  const all = await answer.json();
  body.textContent = all.text + (all.cut ? "\n…" : "");
}

function move(t) {
  slider.value = Math.max(0, Math.min(t, data.turns.length));
  history.replaceState(null, "", "#turn=" + slider.value);
  show(true);
}

slider.addEventListener("input", () => { pick = null; move(+slider.value); });
for (const [id, to] of [["first", () => 0], ["back", () => +slider.value - 1], ["next", () => +slider.value + 1], ["latest", () => data.turns.length]]) {
  document.getElementById(id).addEventListener("click", () => { pick = null; move(to()); });
}
document.getElementById("clear").addEventListener("click", () => choose(null));
document.addEventListener("keydown", event => {
  if (!data || event.ctrlKey || event.metaKey || event.altKey || event.target === slider) return;
  if (event.key === "Escape" && pick) return choose(null);
  const to = { ArrowLeft: +slider.value - 1, ArrowRight: +slider.value + 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  pick = null;
  move(to);
});
document.addEventListener("refreshed", load);
load();
