"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const svgNS = "http://www.w3.org/2000/svg";
  const ms = (text) => Date.parse(text);
  const first = ms(data.from), last = Math.max(ms(data.until), ms(data.from) + 1);

  // Heights in pixels. A lane has a strip for consumers only where one was seen,
  // and one for Pods only where a Pod was recorded.
  const padding = 7, bandHeight = 18, podHeight = 9, useHeight = 17, serviceHeight = 56, labelHeight = 22, leastHeight = 46;
  const words = {
    ready: "ready", serving: "not ready, serving", unready: "not ready",
    terminating: "terminating", stopping: "terminating, not serving",
  };

  // ---- what there is ----

  const pods = new Map(data.pods.map((p) => [p.uid, p]));
  for (const p of data.pods) for (const c of p.changes) c.t = ms(c.at);
  for (const g of data.gaps) { g.a = ms(g.from); g.b = ms(g.to); }
  const services = data.services.map((s) => ({ ...s, counts: s.counts.map((c) => ({ ...c, t: ms(c.at) })) }));
  const lanes = services.flatMap((s) => s.lanes.map((l) => makeLane(s, l)));
  const byKey = new Map(lanes.map((l) => [l.service + " " + l.address, l]));
  for (const u of data.observations) {
    const lane = byKey.get(u.service + " " + u.address);
    if (lane) lane.uses.push({ ...u, a: ms(u.first), b: ms(u.last) });
  }
  const findings = data.findings.map((f, index) => ({ ...f, index, a: ms(f.from), b: ms(f.to) }));
  for (const f of findings) {
    const found = f.service ? [byKey.get(f.service + " " + f.address)] : lanes.filter((l) => l.address === f.address);
    for (const lane of found) if (lane && f.code !== "termination-times") lane.findings.push(f);
  }
  for (const lane of lanes) {
    lane.uses.sort((x, y) => x.a - y.a);
    lane.consumers = [...new Set(lane.uses.map((u) => u.consumer))].sort();
    lane.events = laneEvents(lane);
    lane.text = searchText(lane);
  }

  function makeLane(service, lane) {
    const spans = lane.spans.map((s) => ({ ...s, a: ms(s.from), b: ms(s.to) }));
    const seen = new Map();
    for (const s of spans) for (const r of s.records) if (r.uid && pods.has(r.uid)) seen.set(r.uid, pods.get(r.uid));
    for (const p of data.pods) if (p.ips.includes(lane.address)) seen.set(p.uid, p);
    const names = [...new Set(spans.flatMap((s) => s.records.map((r) => r.pod)).filter(Boolean))];
    return { service: service.service, address: lane.address, spans, pods: [...seen.values()], names, uses: [], findings: [] };
  }

  function searchText(lane) {
    const parts = [lane.service, lane.address, ...lane.names];
    for (const s of lane.spans) for (const r of s.records) parts.push(r.slice, r.node, r.zone);
    for (const u of lane.uses) parts.push(u.consumer);
    for (const f of lane.findings) parts.push(f.code);
    return parts.filter(Boolean).join(" ").toLowerCase();
  }

  // laneEvents is a lane's history in words, for the side and the keys [ and ].
  function laneEvents(lane) {
    const list = [];
    const several = lane.pods.length > 1;
    lane.spans.forEach((s, i) => {
      const before = lane.spans[i - 1];
      const joined = before && before.b === s.a;
      list.push({ t: s.a, clock: s.fromClock, what: joined ? spanWords(before, s) : (s.before ? "slices: found, " : "slices: ") + words[s.state] + " in " + sliceNames(s) });
      const next = lane.spans[i + 1];
      if (!s.open && (!next || next.a !== s.b)) list.push({ t: s.b, what: "slices: gone" });
    });
    for (const p of lane.pods) {
      const who = several ? shortName(p.pod) + ": " : "";
      for (const c of p.changes) if (c.what) list.push({ t: c.t, clock: c.clock, what: who + c.what });
    }
    for (const u of lane.uses) list.push({ t: u.a, what: useWords(u), fail: u.kind === "failure" });
    return list.sort((x, y) => x.t - y.t);
  }

  function spanWords(before, now) {
    const parts = [];
    if (words[before.state] !== words[now.state]) parts.push(words[now.state]);
    const a = sliceNames(before), b = sliceNames(now);
    if (a !== b) parts.push(now.records.length > 1 ? "in " + b + " at once" : "now in " + b);
    else if (before.records.length !== now.records.length) parts.push(now.records.length + " records in " + b);
    const p = before.records[0], q = now.records[0];
    if (p.uid !== q.uid) parts.push("now names " + (q.pod || "no Pod"));
    if (p.node !== q.node || p.zone !== q.zone) parts.push("node " + (q.node || "–") + ", zone " + (q.zone || "–"));
    if (!parts.length) parts.push(p.conditions !== q.conditions ? "written as " + q.conditions : "hints or record changed");
    return "slices: " + parts.join(", ");
  }

  function sliceNames(s) { return [...new Set(s.records.map((r) => r.slice))].sort().join(" and "); }
  function shortName(name) { return name.slice(name.indexOf("/") + 1); }
  function useWords(u) {
    const what = { connection: "new connections", request: "requests", failure: "failed" }[u.kind];
    const count = u.count > 1 ? u.count + " " : "";
    const until = u.b > u.a ? " until " + clock(u.b, 1) : "";
    return u.consumer + ": " + count + what + until + (u.detail ? ": " + u.detail : "");
  }

  // ---- time ----

  const margin = Math.max((last - first) * 0.01, 1);
  const view = { a: first - margin, b: last + margin };
  let width = 800, narrow = false;
  const x = (t) => (t - view.a) / (view.b - view.a) * width;
  const timeAt = (px) => view.a + px / width * (view.b - view.a);
  const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 9e5, 18e5, 36e5, 72e5, 108e5, 216e5, 432e5, 864e5, 6048e5];

  function clock(t, step) {
    const text = new Date(t).toISOString();
    if (step < 1000) return text.slice(11, 23);
    return step < 60000 ? text.slice(11, 19) : step < 864e5 ? text.slice(11, 16) : text.slice(0, 10);
  }

  function took(d) {
    const s = Math.abs(d);
    if (s < 1000) return Math.round(s) + " ms";
    if (s < 60000) return (s / 1000).toFixed(s < 10000 ? 2 : 1) + " s";
    return Math.floor(s / 60000) + " min " + Math.round(s % 60000 / 1000) + " s";
  }

  function ticks() {
    const step = steps.find((s) => s / (view.b - view.a) * width >= 92) || steps[steps.length - 1];
    const list = [];
    for (let t = Math.ceil(view.a / step) * step; t <= view.b; t += step) list.push(t);
    return { step, list };
  }

  function setView(a, b) {
    const whole = last - first + 2 * margin, length = Math.min(Math.max(b - a, 2), whole);
    a = Math.min(Math.max(a - (length - (b - a)) / 2, first - margin), last + margin - length);
    view.a = a;
    view.b = a + length;
    draw();
  }

  function zoom(factor, around = pinned ?? (view.a + view.b) / 2) {
    if (around < view.a || around > view.b) around = (view.a + view.b) / 2;
    setView(around - (around - view.a) * factor, around + (view.b - around) * factor);
  }

  // ---- rows: only those in sight are in the document ----

  const rowsBox = $("rows");
  let rows = [], chosen = null, pinned = null, finding = -1, pointer = null;

  function arrange() {
    const query = $("filter").value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const only = $("only").checked;
    rows = [];
    let top = 0;
    const extra = narrow ? labelHeight : 0;
    for (const service of services) {
      const kept = lanes.filter((l) => l.service === service.service && (!only || l.findings.length) && query.every((q) => l.text.includes(q)));
      if (!kept.length) continue;
      rows.push({ service, top, height: serviceHeight + extra });
      top += serviceHeight + extra;
      for (const lane of kept) {
        const strips = bandHeight + (lane.pods.length ? podHeight + 3 : 0) + lane.consumers.length * useHeight;
        const height = Math.max(2 * padding + strips, narrow ? 0 : leastHeight) + extra;
        rows.push({ lane, top, height });
        top += height;
      }
    }
    rowsBox.style.height = top + "px";
    $("empty").hidden = rows.length > 0;
    draw();
  }

  function draw() {
    if (draw.asked) return;
    draw.asked = true;
    requestAnimationFrame(() => { draw.asked = false; drawNow(); });
  }

  function drawNow() {
    narrow = window.matchMedia("(max-width: 900px)").matches;
    const label = narrow ? 0 : 216;
    width = Math.max(rowsBox.clientWidth - label, 100);
    drawAxis();
    const box = rowsBox.getBoundingClientRect();
    const from = -box.top - 400, to = -box.top + window.innerHeight + 400;
    const fragment = document.createDocumentFragment();
    for (const row of rows) if (row.top + row.height > from && row.top < to) fragment.append(drawRow(row));
    rowsBox.replaceChildren(fragment);
  }

  function el(name, attributes, parent) {
    const node = document.createElementNS(svgNS, name);
    for (const k in attributes) node.setAttribute(k, attributes[k]);
    if (parent) parent.append(node);
    return node;
  }

  function put(tag, className, text, parent) {
    const node = document.createElement(tag);
    if (className) node.className = className;
    if (text !== undefined) node.textContent = text;
    if (parent) parent.append(node);
    return node;
  }

  function drawAxis() {
    const { step, list } = ticks();
    const svg = el("svg", { width, height: 34 });
    for (const t of list) {
      el("line", { class: "tick", x1: x(t), x2: x(t), y1: 26, y2: 34 }, svg);
      const text = el("text", { x: Math.min(Math.max(x(t), 26), width - 28), y: 20, "text-anchor": "middle" }, svg);
      text.textContent = clock(t, step);
    }
    const at = pointer ?? pinned;
    if (at !== null && at >= view.a && at <= view.b) {
      const px = Math.min(Math.max(x(at), 42), width - 42);
      el("rect", { x: px - 42, y: 6, width: 84, height: 20, fill: "var(--card)" }, svg);
      el("text", { class: "now", x: px, y: 20, "text-anchor": "middle" }, svg).textContent = clock(at, 1);
    }
    $("axis").replaceChildren(svg);
  }

  function drawRow(row) {
    const node = put("div", "row");
    node.style.top = row.top + "px";
    node.style.height = row.height + "px";
    node.setAttribute("role", "listitem");
    const label = put("div", "label", undefined, node);
    const height = row.height - (narrow ? labelHeight : 0) - 1;
    const svg = el("svg", { width, height }, node);
    for (const t of ticks().list) el("line", { class: "tick", x1: x(t), x2: x(t), y1: 0, y2: height }, svg);
    if (row.service) {
      node.classList.add("service");
      put("b", "", row.service.service, label);
      put("span", "", row.service.lanes.length + " addresses, " + row.service.writes + " writes", label);
      drawCounts(svg, row.service, height);
    } else {
      drawLane(node, label, svg, row.lane, height);
    }
    drawGaps(svg, height, row.service?.service ?? row.lane.service);
    if (pinned !== null) el("line", { class: "pin", x1: x(pinned), x2: x(pinned), y1: 0, y2: height }, svg);
    if (pointer !== null) el("line", { class: "cursor", x1: x(pointer), x2: x(pointer), y1: 0, y2: height }, svg);
    return node;
  }

  function drawCounts(svg, service, height) {
    const most = Math.max(1, ...service.counts.map((c) => c.known)), low = height - 6, high = 18;
    const y = (n) => low - n / most * (low - high);
    const path = (key) => {
      let d = "", before = null;
      for (const c of service.counts) {
        const px = Math.max(x(c.t), -5);
        d += before === null ? `M${px},${y(c[key])}` : `H${px}V${y(c[key])}`;
        before = c;
      }
      return d && d + `H${x(last)}`;
    };
    const ready = path("ready");
    if (!ready) return;
    const begin = Math.max(x(service.counts[0].t), -5);
    el("path", { class: "area", d: `${ready}V${low}H${begin}Z` }, svg);
    el("path", { class: "curve known", d: path("known") }, svg);
    el("path", { class: "curve", d: ready }, svg);
    service.counts.forEach((c, i) => {
      const end = service.counts[i + 1]?.t ?? last;
      if (c.ready === 0 && i > 0) el("rect", { class: "zero", x: x(c.t), y: low - 1, width: Math.max(x(end) - x(c.t), 2), height: 4 }, svg);
    });
    const now = service.counts.findLast((c) => c.t <= (pointer ?? pinned ?? last));
    if (now) el("text", { x: 6, y: 13 }, svg).textContent = `${now.ready} ready of ${now.known} known`;
  }

  function drawLane(node, label, svg, lane, height) {
    const isChosen = lane === chosen;
    node.classList.toggle("chosen", isChosen);
    node.dataset.address = lane.address;
    node.dataset.bands = lane.spans.length;
    if (isChosen) node.setAttribute("aria-current", "true");
    node.setAttribute("aria-label", laneSummary(lane));
    if (lane.findings.length) put("i", "mark", lane.findings.length, label).title = lane.findings.map((f) => f.code).join(", ");
    put("b", "", lane.address, label);
    put("span", "", lane.names.map(shortName).join(", ") || "no Pod", label);
    let y = padding;
    for (const consumer of lane.consumers) {
      drawUses(svg, lane.uses.filter((u) => u.consumer === consumer), y);
      el("text", { class: "who-text", x: 5, y: y + 10 }, svg).textContent = consumer;
      y += useHeight;
    }
    for (const f of lane.findings) drawFound(svg, f, y);
    lane.spans.forEach((s, i) => drawBand(svg, lane, s, i, y));
    if (lane.pods.length) drawPods(svg, lane, y + bandHeight + 3);
    node.addEventListener("click", (ev) => choose(lane, ev.target.closest("svg") ? timeAt(ev.clientX - svg.getBoundingClientRect().left) : pinned));
  }

  function laneSummary(lane) {
    const spans = lane.spans.map((s) => `${words[s.state]} ${clock(s.a, 1)} to ${s.open ? "the end" : clock(s.b, 1)}`);
    return `${lane.address}, ${lane.names.join(", ") || "no Pod"}: ${spans.slice(0, 12).join("; ")}. ${lane.findings.length} findings.`;
  }

  function drawBand(svg, lane, s, i, y) {
    const a = Math.max(x(s.a), -10), b = Math.min(x(s.b), width + 10);
    if (b < -5 || a > width + 5) return;
    const w = Math.max(b - a, 2);
    el("rect", { class: "band " + s.state, x: a, y: y + 0.5, width: w, height: bandHeight - 1, rx: 2 }, svg);
    if (s.records.length > 1) { // in two slices, or twice in one
      el("rect", { class: "double", x: a + 2, y: y + 3, width: Math.max(w - 4, 1), height: bandHeight - 6 }, svg);
    }
    const before = lane.spans[i - 1];
    if (before && before.b === s.a && sliceNames(before) !== sliceNames(s)) {
      el("path", { class: "move", d: `M${x(s.a)},${y + bandHeight / 2 - 6}l5,6l-5,6l-5,-6z` }, svg);
    } else if (s.before && s.a > first) {
      el("line", { class: "edge", x1: a, x2: a, y1: y - 2, y2: y + bandHeight + 2, "stroke-dasharray": "2 2" }, svg);
    }
    const text = words[s.state] + (s.records.length > 1 ? " ×" + s.records.length : "");
    const from = Math.max(a, 0), to = Math.min(b, width);
    if (to - from > text.length * 6.4 + 12) {
      el("text", { class: "band-text " + s.state, x: from + 7, y: y + bandHeight - 5 }, svg).textContent = text;
    }
  }

  function drawFound(svg, f, y) {
    if (f.code === "request-failed") return;
    const a = x(f.a), b = x(f.b);
    if (b < 0 || a > width) return;
    el("rect", { class: "zero", x: a, y: y - 4, width: Math.max(b - a, 3), height: 3 }, svg);
  }

  function drawPods(svg, lane, y) {
    for (const p of lane.pods) {
      p.changes.forEach((c, i) => {
        if (c.gone) {
          el("path", { class: "pod-end", d: `M${x(c.t)},${y - 2}v${podHeight + 4}` }, svg);
          return;
        }
        const next = p.changes[i + 1];
        const a = Math.max(x(c.t), -10), b = Math.min(x(next ? next.t : last), width + 10);
        if (b < -5 || a > width + 5) return;
        el("rect", { class: "pod " + (c.deleting ? "going" : c.ready ? "on" : "off"), x: a, y: y + 0.5, width: Math.max(b - a, 1.5), height: podHeight - 1 }, svg);
        if (c.deleting && !p.changes[i - 1]?.deleting) {
          el("path", { class: "pod-ask", d: `M${a - 4},${y - 3}h8l-4,5z` }, svg);
        }
      });
      const going = p.changes.find((c) => c.graceEnds), gone = p.changes.find((c) => c.gone);
      if (going && x(ms(going.graceEnds)) <= width && ms(going.graceEnds) <= last) {
        const end = x(ms(going.graceEnds));
        if (gone) el("path", { class: "pod-grace", d: `M${Math.min(x(gone.t), end)},${y + podHeight / 2}H${end}` }, svg);
        el("path", { class: "pod-grace", d: `M${end},${y - 1}v${podHeight + 2}` }, svg);
      }
    }
  }

  function drawUses(svg, uses, y) {
    const middle = y + useHeight / 2 - 2;
    uses.forEach((u, i) => {
      const a = x(u.a), b = Math.max(x(u.b), a);
      if (b < -8 || a > width + 8) return;
      if (u.kind === "failure") {
        el("path", { class: "fail", d: `M${a - 4},${middle - 4}l8,8m0,-8l-8,8` }, svg);
        if (b - a > 8) el("path", { class: "fail", d: `M${a + 8},${middle}H${b}`, "stroke-dasharray": "2 5" }, svg);
        const text = (u.count > 1 ? u.count + " × " : "") + (u.detail || "failed");
        const next = Math.min(width, ...uses.slice(i + 1).map((v) => x(v.a) - 6).filter((px) => px > a));
        const wide = text.length * 6.4 + 14, inside = Math.min(b, width) - Math.max(a, 0) > wide + 12;
        if (inside || next - b > wide) {
          el("text", { class: "fail-text", x: inside ? Math.max(a, 0) + 12 : Math.max(b, a + 6) + 6, y: middle + 4 }, svg).textContent = text;
        }
      } else if (u.kind === "connection") {
        if (b > a) el("path", { class: "use", d: `M${a},${middle}H${b}` }, svg);
        for (const px of new Set([a, b])) el("path", { class: "use", d: `M${px},${middle + 3}l-3,-6h6z` }, svg);
      } else {
        if (b > a) el("path", { class: "use request", d: `M${a},${middle}H${b}`, "stroke-dasharray": "1 3" }, svg);
        for (const px of new Set([a, b])) el("circle", { class: "use request", cx: px, cy: middle, r: 2.5 }, svg);
      }
    });
  }

  function drawGaps(svg, height, service) {
    const namespace = service.slice(0, service.indexOf("/"));
    for (const g of data.gaps) {
      if (g.namespace && g.namespace !== namespace) continue;
      const a = x(g.a), b = x(g.b);
      if (b < 0 || a > width) continue;
      el("rect", { class: g.lost ? "gap" : "late", x: a, y: 0, width: Math.max(b - a, 1), height }, svg);
      if (!g.lost) continue;
      for (const px of [a, b]) el("line", { class: "gap-edge", x1: px, x2: px, y1: 0, y2: height }, svg);
    }
  }

  // ---- what was known at a moment ----

  function choose(lane, t = pinned, keepFinding = false) {
    chosen = lane;
    pinned = t ?? lane.spans[0].a;
    if (!keepFinding) mark(-1);
    detail();
    draw();
  }

  function detail() {
    const box = $("detail");
    box.replaceChildren();
    box.classList.toggle("open", Boolean(chosen));
    if (!chosen) {
      put("p", "hint", "Select a lane, or a finding, to see what was known at that moment.", box);
      return;
    }
    const close = put("button", "close", "×", box);
    close.setAttribute("aria-label", "Let go of the lane");
    close.addEventListener("click", commands.Escape);
    put("h2", "", chosen.address, box);
    put("p", "when", new Date(pinned).toISOString().replace("T", " "), box);
    if (finding >= 0) put("p", "why", findings[finding].code + ": " + findings[finding].message, box);
    const says = put("dl", "says", undefined, box);
    for (const [who, what] of saidAt(chosen, pinned)) {
      put("dt", "", who, says);
      put("dd", "", what, says);
    }
    const table = put("table", "", undefined, box);
    const near = chosen.events.findLastIndex((e) => e.t <= pinned);
    chosen.events.forEach((e, i) => {
      const tr = put("tr", i === near ? "near" : "", undefined, table);
      put("td", "", (e.clock === "api" ? "~" : e.clock === "carried" ? "?" : "") + clock(e.t, 1), tr);
      put("td", "", (e.fail ? "✕ " : "") + e.what, tr);
      tr.addEventListener("click", () => { show(e.t); choose(chosen, e.t); });
    });
    // The box alone scrolls; the page stays where the reader looks.
    const row = table.querySelector(".near");
    if (row) box.scrollTop = Math.max(0, row.offsetTop + row.offsetHeight - box.clientHeight + 12);
  }

  function saidAt(lane, t) {
    const list = [];
    const span = lane.spans.findLast((s) => s.a <= t && (s.open || t < s.b || s.a === t));
    if (span) {
      const r = span.records[0];
      list.push(["Slices", `${words[span.state]} (${span.conditions}) for ${took(t - span.a)}, in ${sliceNames(span)}`]);
      if (span.records.length > 1) list.push(["Records", span.records.map((r) => `${r.slice} ${r.conditions} ${r.pod || ""}`).join("; ")]);
      if (r.node || r.zone) list.push(["Place", [r.node, r.zone].filter(Boolean).join(", ") + (r.forZones ? ", hints " + r.forZones.join(" ") : "")]);
    } else {
      const before = lane.spans.findLast((s) => s.b <= t);
      list.push(["Slices", before ? `gone for ${took(t - before.b)}` : "not there yet"]);
    }
    for (const p of lane.pods) list.push(["Pod", `${shortName(p.pod)}: ${podAt(p, t)}`]);
    const latest = new Map();
    for (const u of lane.uses) if (u.a <= t) latest.set(u.consumer + u.kind, u);
    for (const u of latest.values()) {
      const end = Math.min(u.b, t);
      const what = { connection: "last new connection", request: "last request", failure: "failure" }[u.kind];
      list.push([u.consumer, `${what} ${t - end < 1 ? "now" : took(t - end) + " before"}${u.detail ? ": " + u.detail : ""}`]);
    }
    const gap = data.gaps.find((g) => g.lost && g.a <= t && t < g.b);
    if (gap) list.push(["Gap", `the watch of ${gap.resource} was lost: ${gap.reason}`]);
    return list;
  }

  function podAt(pod, t) {
    const change = pod.changes.findLast((c) => c.t <= t);
    if (!change) return "not known yet";
    if (change.gone) return `gone for ${took(t - change.t)}`;
    const parts = [change.ready ? "ready" : "not ready"];
    if (change.stopped && ms(change.stopped) <= t) parts.push("containers ended");
    const asked = pod.changes.find((c) => c.deleting);
    if (change.deleting) {
      const left = ms(change.graceEnds) - t;
      parts.push(`being deleted for ${took(t - asked.t)}`, left > 0 ? `grace ends in ${took(left)}` : `grace ended ${took(left)} before`);
    }
    return parts.join(", ");
  }

  // ---- going to places ----

  function show(t, length = 0) {
    const size = Math.max(view.b - view.a, 2);
    if (length) setView(t - length, t + 2 * length);
    else if (t < view.a || t > view.b) setView(t - size / 2, t + size / 2);
    else draw();
  }

  function reveal(lane) {
    let row = rows.find((r) => r.lane === lane);
    if (!row) {
      $("filter").value = "";
      $("only").checked = false;
      arrange();
      row = rows.find((r) => r.lane === lane);
    }
    const y = rowsBox.getBoundingClientRect().top + row.top;
    if (y < 60 || y + row.height > window.innerHeight) window.scrollBy(0, y - window.innerHeight / 3);
  }

  function goFinding(index) {
    if (!findings.length) return;
    const f = findings[(index + findings.length) % findings.length];
    mark(f.index);
    const lane = byKey.get(f.service + " " + f.address) || lanes.find((l) => l.address === f.address) || lanes.find((l) => l.service === f.service);
    const length = Math.max((f.b - f.a) * 1.2, (last - first) / 60, 50);
    setView(f.a - length, f.b + length);
    if (!lane) return;
    reveal(lane);
    choose(lane, f.a, true);
  }

  function mark(index) {
    finding = index;
    for (const b of document.querySelectorAll(".finding")) {
      const is = Number(b.dataset.finding) === index;
      b.toggleAttribute("aria-current", is);
      if (is) {
        b.setAttribute("aria-current", "true");
        b.closest("details")?.setAttribute("open", "");
      }
    }
  }

  function step(by) {
    const list = rows.filter((r) => r.lane).map((r) => r.lane);
    if (!list.length) return;
    const at = list.indexOf(chosen);
    const lane = list[at < 0 ? 0 : Math.min(Math.max(at + by, 0), list.length - 1)];
    reveal(lane);
    choose(lane);
  }

  function stepEvent(by) {
    if (!chosen) return step(1);
    const times = [...new Set(chosen.events.map((e) => e.t))];
    const t = by > 0 ? times.find((t) => t > pinned) : times.findLast((t) => t < pinned);
    if (t === undefined) return;
    show(t);
    choose(chosen, t);
  }

  // ---- hands ----

  const pan = (share) => { const d = (view.b - view.a) * share; setView(view.a + d, view.b + d); };
  const commands = {
    ArrowLeft: () => pan(-0.2), ArrowRight: () => pan(0.2), ArrowUp: () => step(-1), ArrowDown: () => step(1),
    k: () => step(-1), j: () => step(1), "+": () => zoom(0.6), "=": () => zoom(0.6), "-": () => zoom(1 / 0.6),
    0: () => setView(first - margin, last + margin), n: () => goFinding(finding + 1), p: () => goFinding(finding < 0 ? -1 : finding - 1),
    "[": () => stepEvent(-1), "]": () => stepEvent(1), "/": () => $("filter").focus(), "?": () => $("keys").click(),
    Escape: () => { chosen = null; pinned = null; mark(-1); detail(); draw(); },
  };
  document.addEventListener("keydown", (ev) => {
    if (ev.ctrlKey || ev.metaKey || ev.altKey) return;
    const typing = ev.target === $("filter");
    if (typing && ev.key === "Escape") { $("filter").value = ""; arrange(); rowsBox.focus(); return; }
    if (typing) return;
    const command = commands[ev.key];
    if (!command) return;
    ev.preventDefault();
    command();
  });
  for (const b of document.querySelectorAll(".finding")) b.addEventListener("click", () => goFinding(Number(b.dataset.finding)));
  $("filter").addEventListener("input", arrange);
  $("only").addEventListener("change", arrange);
  $("in").addEventListener("click", commands["+"]);
  $("out").addEventListener("click", commands["-"]);
  $("fit").addEventListener("click", commands[0]);
  $("keys").addEventListener("click", () => {
    $("help").hidden = !$("help").hidden;
    $("keys").setAttribute("aria-expanded", String(!$("help").hidden));
    draw();
  });
  $("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : window.matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });

  const trackLeft = () => rowsBox.getBoundingClientRect().left + (narrow ? 0 : 216);
  let drag = null;
  rowsBox.addEventListener("pointermove", (ev) => {
    if (drag && Math.abs(ev.clientX - drag.x) > 4) drag.moved = true;
    if (drag?.moved) {
      const by = (drag.x - ev.clientX) / width * (drag.b - drag.a);
      setView(drag.a + by, drag.b + by);
      return;
    }
    const px = ev.clientX - trackLeft();
    pointer = px >= 0 && px <= width ? timeAt(px) : null;
    draw();
  });
  rowsBox.addEventListener("pointerleave", () => { pointer = null; draw(); });
  rowsBox.addEventListener("pointerdown", (ev) => { drag = { x: ev.clientX, ...view, moved: false }; });
  window.addEventListener("pointerup", () => { const was = drag; setTimeout(() => { if (drag === was) drag = null; }); });
  rowsBox.addEventListener("click", (ev) => { if (drag?.moved) ev.stopPropagation(); }, true);
  rowsBox.addEventListener("wheel", (ev) => {
    if (ev.ctrlKey || ev.metaKey) {
      ev.preventDefault();
      zoom(Math.exp(ev.deltaY / 300), timeAt(ev.clientX - trackLeft()));
    } else if (ev.shiftKey || Math.abs(ev.deltaX) > Math.abs(ev.deltaY)) {
      ev.preventDefault();
      pan((ev.deltaX || ev.deltaY) / width);
    }
  }, { passive: false });
  window.addEventListener("scroll", draw, { passive: true });
  window.addEventListener("resize", () => { narrow = window.matchMedia("(max-width: 900px)").matches; arrange(); });

  // ---- patterns and the legend: every state reads without colour ----

  function patterns() {
    const svg = el("svg", { width: 0, height: 0, "aria-hidden": "true", class: "hidden" });
    const defs = el("defs", {}, svg);
    const pattern = (id, size, rotate, back, draw) => {
      const p = el("pattern", { id, width: size, height: size, patternUnits: "userSpaceOnUse", patternTransform: `rotate(${rotate})` }, defs);
      el("rect", { width: size, height: size, fill: back }, p);
      draw(p);
    };
    const line = (p, x1, y1, x2, y2, stroke, w) => el("line", { x1, y1, x2, y2, stroke, "stroke-width": w }, p);
    pattern("p-serving", 6, 0, "var(--card)", (p) => el("circle", { cx: 3, cy: 3, r: 1.4, fill: "var(--serving)" }, p));
    pattern("p-terminating", 7, 45, "var(--card)", (p) => line(p, 0, 0, 0, 7, "var(--terminating)", 6));
    pattern("p-stopping", 6, 45, "var(--card)", (p) => { line(p, 0, 0, 0, 6, "var(--stopping)", 2); line(p, 0, 0, 6, 0, "var(--stopping)", 2); });
    pattern("p-going", 4, 45, "var(--card)", (p) => line(p, 0, 0, 0, 4, "var(--pod)", 3));
    pattern("p-gap", 9, -45, "none", (p) => line(p, 0, 0, 0, 9, "var(--gap)", 2));
    document.body.prepend(svg);
  }

  function legend() {
    const entry = (text, draw) => {
      const li = put("li", "", undefined, $("legend"));
      draw(el("svg", { width: 30, height: 16, "aria-hidden": "true" }, li));
      li.append(text);
    };
    for (const state of ["ready", "serving", "unready", "terminating", "stopping"]) {
      entry(words[state], (s) => el("rect", { class: "band " + state, x: 1, y: 2, width: 28, height: 12, rx: 2 }, s));
    }
    entry("in two slices", (s) => { el("rect", { class: "band ready", x: 1, y: 2, width: 28, height: 12, rx: 2 }, s); el("rect", { class: "double", x: 3, y: 4, width: 24, height: 8 }, s); });
    entry("slice changed", (s) => { el("rect", { class: "band ready", x: 1, y: 2, width: 28, height: 12, rx: 2 }, s); el("path", { class: "move", d: "M15,2l5,6l-5,6l-5,-6z" }, s); });
    if (data.pods.length) {
      entry("Pod ready", (s) => el("rect", { class: "pod on", x: 1, y: 4, width: 28, height: 8 }, s));
      entry("Pod not ready", (s) => el("rect", { class: "pod off", x: 1, y: 4, width: 28, height: 8 }, s));
      entry("Pod being deleted, gone", (s) => { el("rect", { class: "pod going", x: 1, y: 4, width: 26, height: 8 }, s); el("path", { class: "pod-end", d: "M28,2v12" }, s); });
    }
    if (data.observations.length) {
      entry("new connections", (s) => el("path", { class: "use", d: "M4,11l-3,-6h6zM26,11l-3,-6h6zM4,8H26" }, s));
      entry("requests", (s) => { el("path", { class: "use request", d: "M4,8H26", "stroke-dasharray": "1 3" }, s); el("circle", { class: "use request", cx: 4, cy: 8, r: 2.5 }, s); el("circle", { class: "use request", cx: 26, cy: 8, r: 2.5 }, s); });
      entry("request failed", (s) => el("path", { class: "fail", d: "M11,4l8,8m0,-8l-8,8" }, s));
    }
    if (data.gaps.some((g) => g.lost)) entry("watch lost: changes may be missing", (s) => el("rect", { class: "gap", x: 1, y: 1, width: 28, height: 14 }, s));
  }

  patterns();
  legend();
  narrow = window.matchMedia("(max-width: 900px)").matches;
  arrange();
  drawNow();
})();
