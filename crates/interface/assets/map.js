// The map of a hunt: pages as dots, links as lines, agents as marks that walk from page to page. Drawn from the log,
// live or at any moment of the past, alone or beside another hunt.

const MOST = 2000;
const GLOW = 6; // seconds after which half of the brightness of a visit is gone

// What is counted, in the language of the page.
const NAMES = document.getElementById("map").dataset.words.split(",");

const colours = {};

/** Reads the colours of the page anew. A canvas knows no variables, so an element is asked what became of them. */
function readColours() {
  const probe = document.body.appendChild(document.createElement("i"));
  for (const name of ["line", "soft", "accent", "alive"]) {
    probe.style.color = `var(--${name})`;
    colours[name] = getComputedStyle(probe).color;
  }
  probe.remove();
}

readColours();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", readColours);

/** The same place for the same page, whoever looks and whenever: a number from 0 to 1 by the letters. */
function lot(text, salt) {
  let hash = 2166136261 ^ salt;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 16777619);
  return (hash >>> 0) / 4294967296;
}

class Map_ {
  constructor(canvas, words) {
    this.canvas = canvas;
    this.words = words;
    this.nodes = [];
    this.agents = [];
    this.byUrl = new Map();
    this.end = 0;
    this.zoom = 1;
    this.x = 0;
    this.y = 0;
    this.heat = 1;
    this.loaded = false;
    this.early = [];
    this.steer();
  }

  async load(id) {
    const answer = await fetch(`/api/v1/hunts/${id}/graph?nodes=${MOST}`);
    if (!answer.ok) return;
    const graph = await answer.json();
    this.agents = graph.agents;
    this.end = graph.t;
    // A page that was tried twice is there twice, and stays one dot.
    const places = [];
    for (const node of graph.nodes) {
      const from = node.via === null ? null : places[node.via];
      places.push(this.add(node, from));
    }
    this.loaded = true;
    this.early.splice(0).forEach((event) => this.hear(event));
    this.heat = 1;
    // Settled before it is shown, so that a map that does not live does not move.
    const rounds = Math.max(60, Math.min(300, Math.round(200000 / Math.max(1, this.nodes.length))));
    for (let round = 0; round < rounds; round += 1) this.settle();
    this.fit();
  }

  /** Adds a page that was found on another; gives its dot. */
  add(node, from) {
    if (this.byUrl.has(node.url)) return this.byUrl.get(node.url);
    const angle = lot(node.url, 1) * 2 * Math.PI;
    const far = 20 + 60 * lot(node.url, 2);
    const place = from ?? { x: 400 * (lot(node.url, 3) - 0.5), y: 400 * (lot(node.url, 4) - 0.5) };
    const made = { ...node, from, x: place.x + far * Math.cos(angle), y: place.y + far * Math.sin(angle), vx: 0, vy: 0 };
    this.byUrl.set(node.url, made);
    this.nodes.push(made);
    this.end = Math.max(this.end, node.t);
    this.heat = Math.max(this.heat, 0.3);
    return made;
  }

  /** What a line of the log adds. */
  hear(event) {
    if (!this.loaded) {
      this.early.push(event);
      return;
    }
    this.end = Math.max(this.end, event.t);
    if (event.event === "page" && this.nodes.length >= MOST && !this.byUrl.has(event.url)) {
      // No room for another dot: it is counted where it was found.
      const from = this.byUrl.get(event.via);
      if (from) from.more += 1;
    } else if (event.event === "page") {
      let agent = this.agents.findLastIndex((one) => one.name === event.agent && one.died === null);
      if (agent < 0) agent = this.agents.push({ name: event.agent, born: event.t, died: null, energy: null }) - 1;
      this.add({
        url: event.url, title: event.title, t: event.t, agent,
        relevance: event.relevance ?? 0, came: event.outcome === "fetched", more: 0,
        pheromone: event.why?.pheromone,
      }, this.byUrl.get(event.via) ?? null);
    } else if (event.event === "begun") {
      // Whoever lived before the run was cut off lives no more.
      for (const agent of this.agents) agent.died ??= event.t;
    } else if (event.event === "agent") {
      const known = this.agents.findLast((one) => one.name === event.agent && one.died === null);
      if (event.deed === "born" && !known) {
        this.agents.push({ name: event.agent, parent: event.parent, born: event.t, died: null, energy: event.energy });
      } else if (known && event.deed === "died") {
        known.died = event.t;
      } else if (known && event.deed === "tended") {
        known.energy = event.after ?? known.energy;
      } else if (known && event.deed === "visited") {
        known.energy = event.energy;
        const node = this.byUrl.get(event.address);
        if (node) node.energy = event.energy;
      }
    }
  }

  /** One step of the forces: neighbours pull, all others push as far as they reach (found by the cells of a grid). */
  settle() {
    const cell = 90;
    const grid = new Map();
    for (const node of this.nodes) {
      const key = `${Math.floor(node.x / cell)},${Math.floor(node.y / cell)}`;
      if (!grid.has(key)) grid.set(key, []);
      grid.get(key).push(node);
    }
    const step = 0.5 * this.heat;
    for (const node of this.nodes) {
      const [column, row] = [Math.floor(node.x / cell), Math.floor(node.y / cell)];
      for (let dx = -1; dx <= 1; dx += 1) {
        for (let dy = -1; dy <= 1; dy += 1) {
          for (const other of grid.get(`${column + dx},${row + dy}`) ?? []) {
            if (other === node) continue;
            const [x, y] = [node.x - other.x, node.y - other.y];
            const far = Math.hypot(x, y) + 1;
            if (far >= cell) continue;
            const push = (90 * (1 / far - 1 / cell)) / far;
            node.vx += push * x;
            node.vy += push * y;
          }
        }
      }
      node.vx -= 0.002 * node.x;
      node.vy -= 0.002 * node.y;
      if (node.from) {
        const [x, y] = [node.from.x - node.x, node.from.y - node.y];
        const length = Math.hypot(x, y) || 1;
        const pull = (0.06 * (length - 30)) / length;
        node.vx += pull * x;
        node.vy += pull * y;
        node.from.vx -= 0.3 * pull * x;
        node.from.vy -= 0.3 * pull * y;
      }
    }
    for (const node of this.nodes) {
      const slow = Math.min(1, 12 / (Math.hypot(node.vx, node.vy) || 1));
      node.x += step * slow * node.vx;
      node.y += step * slow * node.vy;
      node.vx *= 0.6;
      node.vy *= 0.6;
    }
    this.heat = Math.max(0.05, this.heat * 0.985);
  }

  fit() {
    if (this.nodes.length === 0) return;
    const [xs, ys] = [this.nodes.map((node) => node.x), this.nodes.map((node) => node.y)];
    const [left, right] = [Math.min(...xs), Math.max(...xs)];
    const [top, bottom] = [Math.min(...ys), Math.max(...ys)];
    const { width, height } = this.canvas;
    this.zoom = Math.min(3, 0.9 * Math.min(width / (right - left + 60), height / (bottom - top + 60)));
    this.x = (left + right) / 2;
    this.y = (top + bottom) / 2;
  }

  steer() {
    const { canvas } = this;
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom = Math.min(8, Math.max(0.05, this.zoom * (event.deltaY < 0 ? 1.15 : 1 / 1.15)));
    }, { passive: false });
    canvas.addEventListener("pointermove", (event) => {
      if (event.buttons === 1) {
        this.x -= event.movementX / this.zoom;
        this.y -= event.movementY / this.zoom;
      }
      const scale = canvas.width / canvas.clientWidth;
      const x = (event.offsetX * scale - canvas.width / 2) / this.zoom + this.x;
      const y = (event.offsetY * scale - canvas.height / 2) / this.zoom + this.y;
      let best = null;
      let near = 12 / this.zoom;
      for (const node of this.nodes) {
        const far = Math.hypot(node.x - x, node.y - y);
        if (far < near) [best, near] = [node, far];
      }
      this.pointed = best;
    });
    canvas.addEventListener("keydown", (event) => {
      const by = 40 / this.zoom;
      const moves = { ArrowLeft: [-by, 0], ArrowRight: [by, 0], ArrowUp: [0, -by], ArrowDown: [0, by] };
      if (moves[event.key]) {
        this.x += moves[event.key][0];
        this.y += moves[event.key][1];
      } else if (event.key === "+" || event.key === "-") {
        this.zoom *= event.key === "+" ? 1.2 : 1 / 1.2;
      } else return;
      event.preventDefault();
    });
  }

  /** Draws the map as it was at a moment. */
  draw(moment) {
    const { canvas, zoom } = this;
    const pen = canvas.getContext("2d");
    const place = (node) => [(node.x - this.x) * zoom + canvas.width / 2, (node.y - this.y) * zoom + canvas.height / 2];
    pen.clearRect(0, 0, canvas.width, canvas.height);
    const { line, soft: ink, accent, alive } = colours;
    const there = this.nodes.filter((node) => node.t <= moment);
    pen.lineWidth = 1;
    for (const node of there) {
      if (!node.from) continue;
      const glow = 2 ** (-(moment - node.t) / GLOW);
      pen.strokeStyle = glow > 0.1 || node.pheromone > 0.1 ? accent : line;
      pen.globalAlpha = Math.max(0.35, glow, node.pheromone ?? 0);
      pen.beginPath();
      pen.moveTo(...place(node.from));
      pen.lineTo(...place(node));
      pen.stroke();
    }
    for (const node of there) {
      const glow = 2 ** (-(moment - node.t) / GLOW);
      const [x, y] = place(node);
      const size = Math.max(1.5, (2 + 7 * Math.min(1, node.relevance)) * Math.min(1.5, Math.sqrt(zoom)));
      pen.globalAlpha = node.came ? Math.max(0.55, glow) : 0.25;
      pen.fillStyle = node.relevance > 0.25 || glow > 0.3 ? accent : ink;
      pen.beginPath();
      pen.arc(x, y, size, 0, 2 * Math.PI);
      pen.fill();
      if (node.more > 0) {
        // Around a page that stands for others: the more of them, the wider.
        pen.strokeStyle = ink;
        pen.lineWidth = 1;
        pen.beginPath();
        pen.arc(x, y, size + 2 + 2 * Math.log2(1 + node.more), 0, 2 * Math.PI);
        pen.stroke();
      }
    }
    // Each agent stands where it was last.
    const last = new Map();
    for (const node of there) last.set(node.agent, node);
    pen.globalAlpha = 1;
    let living = 0;
    for (const [number, node] of last) {
      const agent = this.agents[number];
      if (!agent || (agent.died !== null && agent.died <= moment)) continue;
      living += 1;
      const [x, y] = place(node);
      // What it had left after that page; what it has now where that is not told.
      const size = 4 + 3 * Math.min(3, Math.max(0, node.energy ?? agent.energy ?? 0.5));
      pen.strokeStyle = alive;
      pen.lineWidth = 2;
      pen.strokeRect(x - size / 2, y - size / 2, size, size);
    }
    const born = this.agents.filter((agent) => agent.born <= moment).length;
    const dead = this.agents.filter((agent) => agent.died !== null && agent.died <= moment).length;
    const named = this.pointed ? ` · ${this.pointed.title || this.pointed.url}` : "";
    const [pages, agents, births, deaths] = NAMES;
    this.words.textContent =
      `● ${there.length} ${pages} · ▢ ${living} ${agents} · + ${born} ${births} · † ${dead} ${deaths}${named}`;
  }
}

const canvas = document.getElementById("map");
const map = new Map_(canvas, document.getElementById("map-words"));
const other = new Map_(document.getElementById("map-beside"), document.getElementById("map-beside-words"));
const slider = document.getElementById("moment");
const clock = document.getElementById("clock");
const play = document.getElementById("play");
const speed = document.getElementById("speed");
const beside = document.getElementById("beside");
const id = document.getElementById("hunt").dataset.id;
const still = matchMedia("(prefers-reduced-motion: reduce)").matches;

let moment = null; // the last one, and what comes after it, when nobody has chosen another
let playing = false;
let before = 0;

const longest = () => Math.max(map.end, beside?.value ? other.end : 0, 0.001);

function show(now) {
  const passed = Math.min(1, (now - before) / 1000);
  before = now;
  if (playing && moment !== null) {
    moment += passed * Number(speed.value);
    if (moment >= longest()) {
      moment = null;
      hold();
    }
  }
  const at = moment ?? longest();
  slider.value = String(Math.round((1000 * at) / longest()));
  const words = `${at.toFixed(1)} s`;
  if (clock.textContent !== words) clock.textContent = words;
  if (map.heat > 0.06 && !still) map.settle();
  map.draw(at);
  if (beside?.value) other.draw(at);
  canvas.dataset.frames = String(Number(canvas.dataset.frames ?? 0) + 1);
  requestAnimationFrame(show);
}

function hold() {
  playing = false;
  play.textContent = play.dataset.play;
}

play.addEventListener("click", () => {
  if (playing) return hold();
  playing = true;
  play.textContent = play.dataset.hold;
  if (moment === null) moment = 0;
});

slider.addEventListener("input", () => {
  const at = (Number(slider.value) / 1000) * longest();
  moment = Number(slider.value) >= 1000 ? null : at;
  const here = new URL(location.href);
  if (moment === null) here.searchParams.delete("t");
  else here.searchParams.set("t", at.toFixed(1));
  history.replaceState(null, "", here);
});

beside?.addEventListener("change", async () => {
  const figure = document.getElementById("map-beside").closest("figure");
  figure.hidden = beside.value === "";
  if (beside.value) {
    Object.assign(other, { nodes: [], agents: [], byUrl: new Map(), end: 0 });
    await other.load(beside.value);
  }
});

document.addEventListener("hunt-events", (event) => event.detail.forEach((line) => map.hear(line)));

document.getElementById("replay").hidden = false;
const asked = new URL(location.href).searchParams.get("t");
if (asked !== null && Number.isFinite(Number(asked))) moment = Number(asked);
await map.load(id);
canvas.dataset.nodes = String(map.nodes.length);
requestAnimationFrame(show);
