"use strict";
// The page's tables and charts. All texts come from the data and are set as text, never as HTML.
const DATA = JSON.parse(document.getElementById("data").textContent);
const NONE = "–";

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined && value !== "") element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function draw(parent, tag, attributes = {}, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}

// Numbers

function grouped(number, decimals = 3) {
  return number.toLocaleString("en", { maximumFractionDigits: decimals });
}

function value(exact) {  // of an integer, or of a text such as 37/30
  if (typeof exact !== "string") return exact;
  const [above, below] = exact.split("/").map(Number);
  return below ? above / below : above;
}

function shownExact(exact) {
  if (exact === null) return NONE;
  return typeof exact === "string" ? `${grouped(value(exact))}` : grouped(exact);
}

function percent(ratio) {  // an exact zero is told from a small number
  if (ratio === 0) return "0 %";
  const number = 100 * ratio;
  return Math.abs(number) < 0.005 ? (number < 0 ? "> -0.01 %" : "< 0.01 %") : `${number.toFixed(2)} %`;
}

function seconds(number) {
  return number < 0.0005 ? "< 0.001" : number.toFixed(3);
}

const KINDS = {
  text: { order: cell => cell, show: cell => cell || NONE },
  choice: { order: cell => cell, show: cell => cell || NONE },
  number: { figures: true, order: cell => cell, show: cell => grouped(cell) },
  exact: { figures: true, order: value, show: shownExact },
  percent: { figures: true, order: cell => cell, show: percent },
  gap: { figures: true, order: cell => Array.isArray(cell) ? cell[0] : cell, show: cell => Array.isArray(cell) ? `≤ ${percent(cell[0])}` : percent(cell) },
  seconds: { figures: true, order: cell => cell, show: seconds },
  show: { order: cell => cell, show: () => "" },
};

// Tables: sorted by a click on a heading, filtered by words and by choices, drawn in portions

class Table {
  constructor(place, table, { portion = 100, onShow = null, high = false } = {}) {
    Object.assign(this, { columns: table.columns, portion, onShow, sorted: null, down: false });
    this.rows = table.rows.map((cells, index) => ({ index, cells: cells.map((cell, at) => this.columns[at].kind === "choice" ? this.columns[at].choices[cell] : cell) }));
    for (const row of this.rows) row.words = row.cells.map((cell, at) => this.shown(cell, at)).join("\n").toLowerCase();
    this.words = make("input", { type: "search", placeholder: "all words, in any column" });
    this.count = make("span", { class: "count", "aria-live": "polite" });
    this.choices = this.columns.map((column, at) => ({ column, at })).filter(({ column }) => column.kind === "choice" && column.choices.length > 1);
    const controls = make("div", { class: "controls" }, make("label", {}, "filter", this.words));
    for (const choice of this.choices) {
      choice.select = make("select", { "data-column": choice.column.title }, new Option("all", ""));
      for (const [index, name] of choice.column.choices.entries()) choice.select.add(new Option(name || NONE, String(index)));
      choice.select.addEventListener("change", () => this.filter());
      controls.append(make("label", {}, choice.column.title, choice.select));
    }
    controls.append(this.count);
    this.words.addEventListener("input", () => this.filter());
    this.body = make("tbody");
    this.more = make("button", { class: "more", type: "button" });
    this.more.addEventListener("click", () => this.portionMore());
    place.append(controls, make("div", { class: high ? "scroll high" : "scroll" }, make("table", {}, this.head(), this.body)), this.more);
    for (const remark of table.remarks) place.append(make("p", { class: "remark" }, remark));
    this.most = this.columns.map((column, at) => column.bar ? Math.max(...this.rows.map(row => row.cells[at] || 0)) : 0);
    this.filter();
  }

  shown(cell, at) {
    return cell === null || cell === undefined ? NONE : KINDS[this.columns[at].kind].show(cell);
  }

  head() {
    const head = make("thead"), line = make("tr");
    this.headings = this.columns.map((column, at) => {
      const button = make("button", { type: "button", title: column.hint }, column.title);
      const heading = make("th", { scope: "col", class: this.classes(at) }, button);
      button.addEventListener("click", () => this.sort(at));
      line.append(heading);
      return heading;
    });
    if (this.columns.some(column => column.group)) {
      const above = make("tr");
      for (let at = 0; at < this.columns.length;) {
        const group = this.columns[at].group;
        let span = 1;
        while (group && at + span < this.columns.length && this.columns[at + span].group === group) span++;
        above.append(make("th", { colspan: span, class: group ? "group edge" : "" }, group || ""));
        at += span;
      }
      head.append(above);
    }
    head.append(line);
    return head;
  }

  classes(at) {
    const column = this.columns[at], before = at ? this.columns[at - 1].group : column.group;
    return [KINDS[column.kind].figures ? "figures" : "", column.group !== before ? "edge" : "", column.strong ? "strong" : ""].filter(Boolean).join(" ");
  }

  sort(at) {
    this.down = this.sorted === at ? !this.down : false;
    this.sorted = at;
    this.headings.forEach((heading, other) => other === at ? heading.setAttribute("aria-sort", this.down ? "descending" : "ascending") : heading.removeAttribute("aria-sort"));
    this.filter();
  }

  filter() {
    const words = this.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = this.choices.filter(({ select }) => select.value !== "").map(({ at, column, select }) => [at, column.choices[Number(select.value)]]);
    this.found = this.rows.filter(row => words.every(word => row.words.includes(word)) && wanted.every(([at, name]) => row.cells[at] === name));
    if (this.sorted !== null) this.order(this.sorted);
    this.body.replaceChildren();
    this.drawn = 0;
    this.portionMore();
    this.count.textContent = this.found.length === this.rows.length ? `${grouped(this.rows.length)} rows` : `${grouped(this.found.length)} of ${grouped(this.rows.length)} rows`;
  }

  order(at) {  // what is missing comes last either way
    const key = KINDS[this.columns[at].kind].order, sign = this.down ? -1 : 1;
    const keyed = this.found.map(row => [row.cells[at] === null || row.cells[at] === "" ? null : key(row.cells[at]), row]);
    keyed.sort(([a, one], [b, two]) => {
      if (a === null || b === null) return (a === null) - (b === null) || one.index - two.index;
      const way = typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : a - b;
      return sign * way || one.index - two.index;
    });
    this.found = keyed.map(([, row]) => row);
  }

  portionMore() {
    const next = this.found.slice(this.drawn, this.drawn + this.portion);
    this.body.append(...next.map(row => this.line(row)));
    this.drawn += next.length;
    const left = this.found.length - this.drawn;
    this.more.hidden = !left;
    this.more.textContent = `show ${grouped(Math.min(left, this.portion))} more of ${grouped(left)}`;
  }

  line(row) {
    return make("tr", {}, ...row.cells.map((cell, at) => {
      const column = this.columns[at], text = this.shown(cell, at);
      const names = [this.classes(at), column.wide ? "wide" : "", text === NONE ? "none" : "", Array.isArray(cell) ? "weak" : ""];
      if (column.kind === "show") return this.showCell(row, cell);
      const exact = typeof cell === "string" && column.kind === "exact" ? cell : undefined;
      const drawn = make("td", { title: column.wide ? text : exact }, column.wide ? shortened(text, 34) : text);
      if (this.most[at] > 0 && cell > 0) {
        names.push("bar");
        drawn.style.setProperty("--share", `${(100 * cell / this.most[at]).toFixed(1)}%`);
      }
      drawn.className = names.filter(Boolean).join(" ");
      return drawn;
    }));
  }

  showCell(row, cell) {
    if (!cell) return make("td", { class: "none" }, NONE);
    const button = make("button", { type: "button" }, "show");
    button.addEventListener("click", () => this.onShow(row.index));
    return make("td", {}, button);
  }
}

// Schedules: two Gantt charts of one instance above one another, on one time axis

const LEFT = 118, RIGHT = 18, TOP = 16, AXIS = 26, GAP = 6, MOST_HIGH = 225;

class Gantt {
  constructor(place) {
    this.place = place;
    this.byInstance = new Map();
    for (const schedule of DATA.schedules) {
      if (!this.byInstance.has(schedule.instance)) this.byInstance.set(schedule.instance, []);
      this.byInstance.get(schedule.instance).push(schedule);
    }
    if (DATA.left) place.append(make("p", { class: "note", id: "left" }, `${grouped(DATA.left)} schedules are left out to keep this page small: of every instance the exact runs and the best heuristics are kept first. The ledger has them all.`));
    if (!DATA.schedules.length) {
      place.append(make("p", { class: "remark" }, "There is no schedule yet."));
      return;
    }
    this.instance = make("select", { id: "gantt-instance" });
    for (const index of [...this.byInstance.keys()].sort((a, b) => a - b)) this.instance.add(new Option(DATA.instances[index].name, String(index)));
    this.upper = make("select", { id: "gantt-upper" });
    this.lower = make("select", { id: "gantt-lower" });
    place.append(make("div", { class: "controls" }, make("label", {}, "instance", this.instance), make("label", {}, "above", this.upper), make("label", {}, "below", this.lower)));
    this.charts = make("div");
    this.legend = make("div", { class: "legend" });
    place.append(this.charts, this.legend);
    this.instance.addEventListener("change", () => this.pickInstance());
    for (const select of [this.upper, this.lower]) select.addEventListener("change", () => this.draw());
    this.pickInstance();
    new ResizeObserver(() => { if (this.charts.clientWidth !== this.width) this.draw(); }).observe(this.charts);
    this.hover();
  }

  pickInstance() {  // the first exact run above, the best heuristic that solves the same problem below
    this.own = this.byInstance.get(Number(this.instance.value));
    const names = this.own.map(one => scheduleName(one));
    for (const select of [this.upper, this.lower]) select.replaceChildren(...names.map((name, index) => new Option(name, String(index))));
    const best = (...tests) => {
      const places = this.own.map((_, index) => index).sort((a, b) => makespan(this.own[a]) - makespan(this.own[b]));
      for (const test of tests) for (const index of places) if (test(this.own[index], index)) return index;
      return 0;
    };
    this.upper.selectedIndex = best(one => one.exact, one => one.promises, () => true);
    const above = this.upper.selectedIndex;
    this.lower.selectedIndex = best(one => !one.exact && one.promises, one => !one.exact, (_, index) => index !== above, () => true);
    this.draw();
  }

  show(run) {
    const schedule = DATA.schedules.find(one => one.run === run);
    if (Number(this.instance.value) !== schedule.instance) {
      this.instance.value = String(schedule.instance);
      this.pickInstance();
    }
    (schedule.exact ? this.upper : this.lower).selectedIndex = this.own.indexOf(schedule);
    this.draw();
    document.getElementById("schedules").scrollIntoView();
  }

  draw() {
    const instance = DATA.instances[Number(this.instance.value)];
    const chosen = [this.own[this.upper.selectedIndex], this.own[this.lower.selectedIndex]];
    this.width = this.charts.clientWidth;
    this.lastDeadline = 0;
    let end = Math.max(...chosen.map(makespan), ...chosen.map(one => value(one.bound) || 0));
    const deadlines = (instance.deadlines || []).filter(one => one !== null).map(value);
    end = Math.max(end, ...deadlines.filter(one => one <= 1.25 * end));
    this.charts.replaceChildren(...chosen.map((schedule, index) => this.chart(instance, schedule, end, index === 1)));
    this.explain(instance, chosen);
  }

  chart(instance, schedule, end, last) {
    const sizes = instance.clusters.map(([, size]) => size), total = sizes.reduce((a, b) => a + b, 0);
    const lane = Math.max(1.5, Math.min(18, MOST_HIGH / total)), bands = sizes.map(size => Math.max(14, size * lane));
    const tops = bands.map((_, index) => TOP + bands.slice(0, index).reduce((a, b) => a + b + GAP, 0));
    const bottom = tops.at(-1) + bands.at(-1), height = bottom + AXIS, inner = Math.max(120, this.width - LEFT - RIGHT);
    const x = time => LEFT + inner * time / (end || 1);
    const svg = draw(document.createDocumentFragment(), "svg", { viewBox: `0 0 ${this.width} ${height}`, height, role: "img", "aria-label": `Gantt chart: ${scheduleName(schedule)}` });
    const frame = { svg, instance, schedule, x, tops, bands, sizes, bottom, end };
    this.lanes(frame);
    this.axis(frame, last);
    this.boxes(frame);
    this.deadlines(frame);
    this.lines(frame);
    const facts = factsOf(schedule).map(text => make("span", {}, text));
    return make("div", { class: "chart", "data-run": schedule.run }, make("h3", {}, methodOf(schedule), ...facts), svg);
  }

  lanes({ svg, instance, x, tops, bands, sizes, end }) {
    instance.clusters.forEach(([name, size], index) => {
      draw(svg, "rect", { class: index % 2 ? "lane odd" : "lane", x: x(0), y: tops[index], width: x(end) - x(0), height: bands[index] });
      const lane = bands[index] / size;
      if (lane >= 6) for (let node = 1; node < size; node++) draw(svg, "line", { class: "rule", x1: x(0), x2: x(end), y1: tops[index] + node * lane, y2: tops[index] + node * lane });
      if (instance.owners) draw(svg, "rect", { x: x(0) - 6, y: tops[index], width: 4, height: bands[index], fill: colour(index)[0] });
      const middle = tops[index] + bands[index] / 2, two = bands[index] >= 30;
      draw(svg, "text", { x: x(0) - 12, y: two ? middle - 2 : middle + 4, "text-anchor": "end" }, shortened(name, 15));
      if (two) draw(svg, "text", { class: "soft", x: x(0) - 12, y: middle + 12, "text-anchor": "end" }, `${grouped(sizes[index])} ${instance.owners ? "processors" : "nodes"}`);
    });
  }

  axis({ svg, instance, x, tops, bottom, end }, named) {
    const slot = instance.slot ? value(instance.slot) : 0;
    if (slot && end / slot <= 100) for (let count = 1; count * slot <= end; count++) draw(svg, "line", { class: "slot", x1: x(count * slot), x2: x(count * slot), y1: tops[0], y2: bottom });
    draw(svg, "line", { class: "rule", x1: x(0), x2: x(end), y1: bottom + 3, y2: bottom + 3 });
    const step = niceStep(end / Math.max(2, (x(end) - x(0)) / 110));
    for (let count = 0; count * step <= end * 1.0001; count++) {
      draw(svg, "line", { class: "rule", x1: x(count * step), x2: x(count * step), y1: bottom + 3, y2: bottom + 7 });
      draw(svg, "text", { class: "soft", x: x(count * step), y: bottom + 19, "text-anchor": "middle" }, grouped(count * step, 6));
    }
    if (named) draw(svg, "text", { class: "soft", x: x(0) - 12, y: bottom + 19, "text-anchor": "end" }, slot ? `time (slot ${shownExact(instance.slot)})` : "time");
  }

  boxes({ svg, instance, schedule, x, tops, bands, sizes }) {
    const per = schedule.per || 1, labels = [];
    for (const [job, cluster, first, count, start, length] of eachBox(schedule)) {
      const lane = bands[cluster] / sizes[cluster], left = x(start / per), width = x((start + length) / per) - left;
      const box = { x: left, y: tops[cluster] + first * lane, width: Math.max(width, 0.8), height: count * lane };
      if (job < 0) {
        draw(svg, "rect", { ...box, class: "reserved" });
        continue;
      }
      const [fill, ink] = colour(instance.owners ? instance.owners[job] : job);
      draw(svg, "rect", { ...box, class: "job", fill, rx: Math.min(2, box.height / 4), "data-job": job, tabindex: 0, role: "img", "aria-label": `job ${instance.jobs[job]}` });
      const room = Math.floor((width - 5) / 6.6), name = instance.jobs[job];
      if (box.height >= 10 && (room >= name.length || room >= 4)) labels.push([job, box, ink, shortened(name, room)]);
    }
    for (const [job, box, ink, name] of labels) {
      const text = draw(svg, "text", { class: "label", "data-job": job, x: box.x + box.width / 2, y: box.y + box.height / 2 + 4, "text-anchor": "middle" }, name);
      text.style.fill = ink;
      if (box.height < 13) text.style.fontSize = "9.5px";
    }
  }

  deadlines({ svg, instance, x, tops, bands, end }) {
    (instance.deadlines || []).forEach((moment, index) => {
      if (moment === null || value(moment) > end) return;
      const at = { x1: x(value(moment)), x2: x(value(moment)), y1: tops[index], y2: tops[index] + bands[index] };
      draw(svg, "line", { ...at, class: "deadline-back" });
      draw(svg, "line", { ...at, class: "deadline" }).style.stroke = `color-mix(in srgb, ${colour(index)[0]} 70%, var(--ink))`;
    });
  }

  lines({ svg, schedule, x, tops, bottom }) {
    const line = (time, name) => draw(svg, "line", { class: name, x1: x(time), x2: x(time), y1: tops[0] - 4, y2: bottom + 3 });
    const end = makespan(schedule);
    line(end, "end");
    if (schedule.bound !== null) line(value(schedule.bound), "bound");
    draw(svg, "text", { x: x(end), y: tops[0] - 6, "text-anchor": x(end) > LEFT + 60 ? "end" : "start" }, shownExact(cellOf(schedule, "makespan")));
  }

  explain(instance, chosen) {
    const entries = [];
    if (instance.owners && instance.clusters.length <= 12) {
      instance.clusters.forEach(([name], index) => {
        const patch = make("i");
        patch.style.background = colour(index)[0];
        entries.push(make("span", {}, patch, `jobs of ${name}`));
      });
    }
    if ((instance.deadlines || []).some(one => one !== null)) entries.push(make("span", {}, make("i", { class: "line dots" }), "when the cluster owner's jobs must have ended, if near"));
    const bounds = chosen.filter(one => one.bound !== null);
    if (bounds.length) entries.push(make("span", {}, make("i", { class: "line" }), bounds.every(one => one.proven) ? "proven optimum" : "best proven bound"));
    this.legend.replaceChildren(...entries);
  }

  hover() {
    const tip = document.getElementById("tooltip");
    const light = job => {
      for (const chart of this.charts.children) {
        chart.classList.toggle("dim", job !== null);
        for (const element of chart.querySelectorAll("[data-job]")) element.classList.toggle("lit", element.dataset.job === job);
      }
    };
    const show = (target, across, down) => {
      const box = target.closest?.(".job");
      if (!box) return hide();
      const schedule = DATA.schedules.find(one => one.run === Number(box.closest(".chart").dataset.run));
      const [title, ...lines] = described(schedule, Number(box.dataset.job));
      tip.replaceChildren(make("b", {}, title), lines.join("\n"));
      tip.hidden = false;
      tip.style.left = `${Math.max(4, Math.min(across + 14, innerWidth - tip.offsetWidth - 8))}px`;
      tip.style.top = `${down + 18 + tip.offsetHeight > innerHeight ? Math.max(4, down - tip.offsetHeight - 12) : down + 18}px`;
      light(box.dataset.job);
    };
    const hide = () => { if (!tip.hidden) { tip.hidden = true; light(null); } };
    this.charts.addEventListener("pointermove", event => show(event.target, event.clientX, event.clientY));
    this.charts.addEventListener("pointerleave", hide);
    const beside = box => { const place = box.getBoundingClientRect(); show(box, place.left, place.bottom - 10); };
    this.charts.addEventListener("focusin", event => beside(event.target));
    this.charts.addEventListener("focusout", hide);
    addEventListener("scroll", () => this.charts.contains(document.activeElement) ? beside(document.activeElement) : hide(), { passive: true });
    addEventListener("keydown", event => { if (event.key === "Escape") hide(); });
  }
}

const RUN_COLUMNS = new Map(DATA.runs.columns.map((column, index) => [column.title, index]));

function cellOf(schedule, title) {
  const index = RUN_COLUMNS.get(title);
  if (index === undefined) return 0;  // seed and repetition are left out where they are all 0
  const cell = DATA.runs.rows[schedule.run][index], column = DATA.runs.columns[index];
  return column.kind === "choice" ? column.choices[cell] : cell;
}

function makespan(schedule) {
  return value(cellOf(schedule, "makespan"));
}

function methodOf(schedule) {
  const seed = cellOf(schedule, "seed"), repetition = cellOf(schedule, "rep.");
  return [cellOf(schedule, "method"), seed ? `seed ${seed}` : "", repetition ? `repetition ${repetition}` : ""].filter(Boolean).join(", ");
}

function scheduleName(schedule) {
  return `${methodOf(schedule)} — ${shownExact(cellOf(schedule, "makespan"))}${isOptimal(schedule) ? " (optimal)" : ""}${schedule.promises ? "" : " (without locality)"}`;
}

function isOptimal(schedule) {
  return schedule.proven && schedule.bound === cellOf(schedule, "makespan");
}

function factsOf(schedule) {
  const gap = cellOf(schedule, "gap"), facts = [`makespan ${shownExact(cellOf(schedule, "makespan"))}`];
  const whose = schedule.promises ? "" : " without locality";
  if (isOptimal(schedule)) facts.push(`optimal${whose}`);
  else if (gap !== null) facts.push(Array.isArray(gap) ? `at most ${percent(gap[0])} above the optimum${whose}` : `${percent(gap)} above the optimum${whose}`);
  if (!schedule.promises) facts.push("promises no locality");
  return [...facts, `${seconds(cellOf(schedule, "seconds"))} s`];
}

function* eachBox({ boxes }) {
  for (let at = 0; at < boxes.length; at += 6) yield boxes.slice(at, at + 6);
}

function described(schedule, job) {
  const instance = DATA.instances[schedule.instance], own = [...eachBox(schedule)].filter(box => box[0] === job);
  const [, , , , start, length] = own[0], moment = ticks => exactTime(ticks, schedule.per);
  const nodes = new Map();
  for (const [, cluster, first, count] of own) nodes.set(cluster, [...(nodes.get(cluster) || []), count > 1 ? `${first}–${first + count - 1}` : `${first}`]);
  const lines = [instance.jobs[job]];
  if (instance.owners) lines.push(`owner ${instance.clusters[instance.owners[job]][0]}`);
  lines.push(`${moment(start)} – ${moment(start + length)}  (${moment(length)} long)`);
  const word = instance.owners ? "processors" : "nodes";
  for (const [cluster, ranges] of nodes) lines.push(`${instance.clusters[cluster][0]}: ${word} ${ranges.join(", ")}`);
  return lines;
}

function exactTime(ticks, per) {
  if (per === undefined) return `≈ ${grouped(ticks)}`;
  if (ticks % per === 0) return grouped(ticks / per);
  let a = ticks, b = per;
  while (b) [a, b] = [b, a % b];
  return `${grouped(ticks / per)} (${ticks / a}/${per / a})`;
}

function colour(index) {
  return DATA.palette[index % DATA.palette.length];
}

function shortened(text, room) {
  return text.length <= room ? text : `${text.slice(0, Math.ceil((room - 1) / 2))}…${text.slice(text.length - Math.floor((room - 1) / 2))}`;
}

function niceStep(rough) {
  const power = 10 ** Math.floor(Math.log10(rough || 1));
  return power * [1, 2, 2.5, 5, 10].find(factor => factor * power >= rough);
}

// The page

for (const [number, words, tone] of DATA.tiles) document.getElementById("tiles").append(make("div", { class: `tile ${tone}` }, make("b", {}, number), make("span", {}, words)));
for (const note of DATA.notes) document.getElementById("notes").append(make("p", { class: note.startsWith("Contradiction") ? "note alarm" : "note" }, note));
const circumstances = document.querySelector("#facts dl");
for (const [name, values] of DATA.facts) circumstances.append(make("dt", {}, name), make("dd", {}, ...values.map(text => make("div", {}, text))));
new Table(document.querySelector("#methods .table"), DATA.methods, { portion: 500 });
const gantt = new Gantt(document.getElementById("gantt"));
new Table(document.querySelector("#runs .table"), DATA.runs, { onShow: run => gantt.show(run), high: true });
