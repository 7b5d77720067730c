"use strict";
/* The page of `lanewise run --html`: draws the run that is embedded as JSON. Text of the run reaches the document as text
 * nodes only, never as markup. A kernel's data is parsed when it is opened. */
(function () {
  const read = id => { const e = document.getElementById(id); return e ? JSON.parse(e.textContent) : null; };
  const compared = read("lw-diff"); /* the page of two runs, `lanewise diff --html` */
  const run = read("lw-run") || {words: {}, also: {}, kernels: []};
  const main = document.getElementById("main");
  const SVG = "http://www.w3.org/2000/svg";

  /* ---- small things ---- */
  function fill(e, attributes, children) {
    for (const name in attributes) {
      const value = attributes[name];
      if (value === undefined || value === null || value === false) continue;
      if (name.startsWith("on")) e.addEventListener(name.slice(2), value);
      else e.setAttribute(name, value);
    }
    for (const c of children.flat(Infinity)) if (c !== null && c !== undefined && c !== false && c !== "") e.append(c);
    return e;
  }
  const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes || {}, children);
  const g = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes || {}, children);
  const count = n => n < 1e8 ? Math.round(n).toLocaleString("en-US") : short(n);
  function short(n) {
    for (const [size, unit] of [[1e12, " T"], [1e9, " G"], [1e6, " M"], [1e3, " k"]])
      if (n >= size) return (n / size).toPrecision(3) + unit;
    return String(+n.toPrecision(3));
  }
  const shortBytes = n => n < 1e3 ? n + " B" : short(n) + "B";
  function seconds(s) {
    for (const [size, unit] of [[1, "s"], [1e-3, "ms"], [1e-6, "µs"]]) if (s >= size) return (s / size).toPrecision(3) + " " + unit;
    return (s * 1e9).toPrecision(3) + " ns";
  }
  const times = (actual, ideal) => ideal ? (actual / ideal >= 100 ? (actual / ideal).toFixed(0) : (actual / ideal).toFixed(1)) + "x" : "";
  const percent = x => (100 * x >= 99.95 || 100 * x >= 10 || x === 0 ? (100 * x).toFixed(0) : (100 * x).toFixed(1)) + " %";
  const plural = (n, one, many) => count(n) + " " + (n === 1 ? one : many || one + "s");
  function ratio(actual, ideal, big) {
    const bad = actual > ideal;
    return h("span", {class: "ratio" + (bad ? "" : " fine") + (big ? " big" : "")}, times(actual, ideal));
  }
  /* Words that the page links to are explained below it, once each; those of kernels that are opened later come behind them. */
  const linked = new Set();
  const also = new Map(Object.entries(run.also || {}).map(([other, name]) => [other.toLowerCase(), name]));
  let glossary = null;
  const explanation = name => [h("dt", {id: "word-" + name}, run.words[name][0]),
    h("dd", {}, run.words[name][1], run.words[name][2] ? h("pre", {"aria-hidden": "true"}, run.words[name][2]) : null)];
  function word(name, shown) {
    const row = run.words[name] ? name : also.get(name.toLowerCase());
    if (!row) return shown || name;
    if (glossary && !linked.has(row)) glossary.append(...explanation(row));
    linked.add(row);
    return h("a", {class: "word", href: "#word-" + row, title: run.words[row][1]}, shown || name);
  }
  /* Heads of columns are buttons that sort; their explanations are linked below the table. */
  const columnWords = names => h("p", {class: "soft"}, "Columns: ", names.map((n, i) => [i ? " \u00b7 " : "", word(n)]));
  function bar(actual, ideal) {
    const share = actual ? Math.min(1, ideal / actual) : 1;
    return h("span", {class: "bar", role: "img", "aria-label": "ideal is " + percent(share) + " of the actual count"},
      h("i", {style: "width:" + (100 * share).toFixed(1) + "%"}));
  }
  function shareBar(share, label) {
    return h("span", {class: "bar plain", role: "img", "aria-label": label || percent(share)},
      h("i", {style: "width:" + (100 * Math.min(1, share)).toFixed(1) + "%"}));
  }
  function shortName(name) {
    let n = name.replace(/^void /, "").replace(/\[abi:[^\]]*\]/g, ""), depth = 0;
    for (let i = 0; i < n.length; i++) {
      if (n[i] === "<") depth++;
      else if (n[i] === ">" && depth) depth--;
      else if (n[i] === "(" && !depth && i) return n.slice(0, i);
    }
    return n;
  }
  const fullName = name => name.replace(/^void /, "").replace(/\[abi:[^\]]*\]/g, "");
  const size3 = v => v[2] > 1 ? v.join(" x ") : v[1] > 1 ? v[0] + " x " + v[1] : String(v[0]);
  const place = r => (r.ptx ? "PTX " : "") + r.shown + (r.line ? ":" + r.line : "");
  const what = r => [r.function === "printf" ? "printf: " : "", word(r.space), " ", word(r.op), r.dir ? [" ", word(r.dir)] : "", r.bytes_per_lane ? " " + r.bytes_per_lane + " B" : ""];

  /* ---- head ---- */
  function themeButton() {
    const root = document.documentElement;
    const dark = () => (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
    const b = h("button", {type: "button", onclick: () => { root.dataset.theme = dark() ? "light" : "dark"; label(); }});
    function label() { b.textContent = dark() ? "Light" : "Dark"; b.setAttribute("aria-label", b.textContent + " colours"); }
    label();
    return b;
  }
  function head() {
    const launches = run.kernels.reduce((n, k) => n + k.count, 0);
    document.getElementById("head").append(h("h1", {}, "lanewise"),
      h("span", {}, run.device.name + (run.device.cc ? " (cc " + run.device.cc + ")" : "")),
      h("span", {class: "soft"}, plural(run.kernels.length, "kernel") + ", " + plural(launches, "launch", "launches")),
      h("span", {class: "grow"}), themeButton());
  }

  /* ---- what to change first ---- */
  function worstCard(w, first) {
    const k = run.kernels[w.kernel];
    const gain = w.ideal ? "At its ideal it would need " + count(w.ideal) + " " + w.unit + " instead of " + count(w.actual) +
      "; that is " + percent(w.share) + " of all that this run loses." : "";
    return h("section", {class: "card first"},
      h("div", {class: "row"}, first ? h("strong", {}, "Change this line first") : null, ratio(w.actual, w.ideal, first),
        h("span", {}, "the ", word("ideal"), " number of ", word(w.unit)),
        h("span", {class: "where"}, place(w)), h("span", {class: "soft"}, "in ", shortName(k.name))),
      w.source ? h("code", {class: "source"}, w.source) : null,
      w.advice ? advice(w.advice) : null,
      h("p", {class: "soft"}, gain + " ", h("a", {href: "#kernel-" + w.kernel, onclick: () => open(w.kernel, true)}, "See why")));
  }
  /* What is wrong comes before what is slow: the first finding with its line. */
  function wrongCard(errors) {
    const f = errors[0];
    return h("section", {class: "card bad"},
      h("div", {class: "row"}, h("strong", {}, h("a", {href: "#findings"}, plural(errors.length, "finding"))), h("span", {}, "Mend what is wrong before what is slow."),
        f.file ? h("span", {class: "where"}, f.shown + (f.line ? ":" + f.line : "")) : null, f.kernel ? h("span", {class: "soft"}, "in ", shortName(f.kernel)) : null),
      f.source ? h("code", {class: "source"}, f.source) : null, h("p", {}, f.check + ": " + f.message));
  }
  function start() {
    if (!run.complete) main.append(h("p", {class: "card bad"}, h("strong", {}, "Incomplete: "),
      "a process ended before it could close its results (killed, crashed or _exit). What ran until then is counted."));
    const errors = run.findings.filter(f => f.severity !== "note");
    if (errors.length) main.append(wrongCard(errors));
    if (!errors.length && !run.worst.length && run.kernels.length)
      main.append(h("p", {class: "card good"}, h("strong", {}, "Memory traffic at the ideal in every line. "),
        "The program moves no more than it must."));
    if (!run.kernels.length) main.append(h("p", {class: "card"}, "No kernel was counted."));
    if (!run.worst.length) return;
    main.append(worstCard(run.worst[0], true));
    if (run.worst.length > 1)
      main.append(h("details", {}, h("summary", {}, "The next " + plural(run.worst.length - 1, "line")), run.worst.slice(1).map(w => worstCard(w, false))));
  }

  /* ---- findings ---- */
  const at3 = v => "(" + v.join(",") + ")";
  function side(title, s) {
    const thread = s.block ? "block " + at3(s.block) + ", thread " + at3(s.thread) : "";
    return h("div", {class: "side"}, h("div", {}, title),
      s.file ? h("div", {class: "where"}, s.shown + (s.line ? ":" + s.line : "")) : null,
      s.source ? h("code", {class: "source"}, s.source) : null,
      thread ? h("div", {class: "soft"}, thread) : null);
  }
  function finding(f) {
    const here = f.file || f.block;
    const facts = [f.kernel ? "in " + shortName(f.kernel) : "", f.call ? "call " + f.call : "", f.error || "",
      f.site ? "in " + f.site : "", f.count > 1 ? count(f.count) + " times" : ""].filter(Boolean).join(" · ");
    const race = f.related.length > 0;
    return h("article", {class: "card"},
      h("div", {class: "row"}, h("span", {class: "sev " + f.severity}, word(f.severity)), word(f.check), h("span", {class: "soft"}, facts)),
      h("p", {}, f.message),
      h("div", {class: "sides"}, here ? side(race ? "here" : "where", f) : null, f.related.map(r => side(r.message, r))),
      f.missing ? drawing(f) : null);
  }
  /* A race drawn: what each thread did since both last synchronised, in order of time; the first one's access is above what is missing. */
  function drawing(f) {
    const cell = (s, what, kind) => h("td", {class: kind}, s ? [s.file ? h("span", {class: "where"}, s.file.replace(/.*\//, "") + ":" + s.line + " ") : null, what] : null);
    const steps = s => [...s.synchronisations.filter(x => !x.behind).map(x => [x, x.what, x.common ? "common" : ""]), [s, s.access, "access"],
      ...s.synchronisations.filter(x => x.behind).map(x => [x, x.what, ""])];
    const left = steps(f.sides[0]), right = steps(f.sides[1]);
    const own = right.findIndex(s => s[2] === "access");
    const shift = left[0][2] === "common" && right[0][2] !== "common" ? 1 : 0;
    const rows = [];
    for (let n = 0; n < Math.max(left.length, own + shift); n++) {
      const other = n >= shift && n - shift < own ? right[n - shift] : null;
      rows.push(h("tr", {}, left[n] ? cell(...left[n]) : h("td"), other ? cell(...other) : h("td")));
    }
    rows.push(h("tr", {}, h("td", {class: "missing", colspan: 2}, "\u00d7 " + f.missing + " \u00d7")));
    right.slice(own).forEach(s => rows.push(h("tr", {}, h("td"), cell(...s))));
    return h("table", {class: "race"}, h("thead", {}, h("tr", {}, f.sides.map(s => h("th", {scope: "col"}, "thread " + at3(s.thread))))), h("tbody", {}, rows));
  }
  function findings() {
    if (!run.findings.length && !run.checks.length) return;
    main.append(h("h2", {id: "findings"}, run.findings.length ? plural(run.findings.length, "finding") : "No findings"));
    if (run.checks.length) main.append(h("p", {class: "soft"}, "Checked with ", run.checks.map((c, i) => [i ? ", " : "", word(c)])));
    const most = 20;
    run.findings.slice(0, most).forEach(f => main.append(finding(f)));
    if (run.findings.length > most)
      main.append(h("details", {ontoggle: once(e => run.findings.slice(most).forEach(f => e.append(finding(f))))},
        h("summary", {}, plural(run.findings.length - most, "more finding"))));
  }
  function once(action) {
    let done = false;
    return event => { if (!done && event.target.open) { done = true; action(event.target); } };
  }

  /* ---- tables that sort ---- */
  /* columns: {name, title, text, value(row), cell(row), wide}; returns the table and a function that shows rows. */
  function sortable(caption, columns, rows, sorted, rowOf) {
    const body = h("tbody"), heads = [];
    let by = sorted, down = true, shown = rows;
    function draw() {
      const c = columns[by];
      const list = shown.slice().sort((a, b) => {
        const x = c.value(a), y = c.value(b);
        const order = typeof x === "string" ? x.localeCompare(y) : x - y;
        return (down ? -order : order) || a.index - b.index;
      });
      heads.forEach((th, i) => th.setAttribute("aria-sort", i === by ? (down ? "descending" : "ascending") : "none"));
      body.replaceChildren(...list.map(row => rowOf(row, columns.map((c, i) =>
        h(i ? "td" : "td", {class: ((c.text ? "text " : "") + (c.wide ? "wide " : "") + (c.class || "")).trim() || null}, c.cell(row))))));
    }
    const headRow = h("tr", {}, columns.map((c, i) => {
      const th = h("th", {scope: "col", class: ((c.text ? "text " : "") + (c.wide ? "wide" : "")).trim() || null},
        h("button", {type: "button", title: c.title, onclick: () => { down = i === by ? !down : !c.text; by = i; draw(); }}, c.name));
      heads.push(th);
      return th;
    }));
    const table = h("table", {}, h("caption", {class: "skip"}, caption), h("thead", {}, headRow), body);
    draw();
    return {table, show: list => { shown = list; draw(); }};
  }

  /* ---- the kernels ---- */
  const advice = text => h("p", {class: "advice"}, text.replace(/ -> /g, " \u2192\u00a0"));
  const cellRatio = m => m ? ratio(m[0], m[1]) : "";
  const config = k => "<<<" + size3(k.grid).replace(/ /g, "") + ", " + size3(k.block).replace(/ /g, "") + ">>>";
  function kernels() {
    if (!run.kernels.length) return;
    const rows = run.kernels;
    const total = rows.reduce((n, k) => n + k.cost, 0) || 1;
    const timed = rows.some(k => k.seconds);
    const columns = [
      {name: "kernel", text: true, class: "name", value: k => shortName(k.name),
        cell: k => h("button", {type: "button", title: fullName(k.name), onclick: () => open(k.index, true)}, shortName(k.name) + (k.many ? " " + config(k) : ""))},
      {name: "lost here", title: "share of all cycles lost above the ideal", value: k => k.cost, cell: k => k.cost ? [shareBar(k.cost / total), " ", percent(k.cost / total)] : "–"},
      {name: "shared", title: "wavefronts against the ideal", value: k => k.shared ? k.shared[0] / k.shared[1] : 0, cell: k => cellRatio(k.shared)},
      {name: "memory", title: "sectors against the ideal", value: k => k.memory ? k.memory[0] / k.memory[1] : 0, cell: k => cellRatio(k.memory)},
      {name: "launches", wide: true, value: k => k.count, cell: k => count(k.count)},
      {name: "occupancy", wide: true, value: k => k.occupancy || 0, cell: k => k.occupancy ? percent(k.occupancy) : ""},
      {name: "instructions", title: "thread instructions", wide: true, value: k => k.thread_inst, cell: k => short(k.thread_inst)},
    ];
    if (timed) columns.splice(1, 0,
      {name: "predicted", title: "predicted time of all launches", value: k => (k.seconds || 0) * k.count, cell: k => k.seconds ? seconds(k.seconds * k.count) : ""},
      {name: "limited by", wide: true, text: true, value: k => k.bottleneck || "", cell: k => k.bottleneck || ""});
    const lost = columns.findIndex(c => c.name === "lost here");
    const list = sortable("Kernels", columns, rows, lost, (k, cells) => h("tr", {id: "row-" + k.index}, cells));
    main.append(h("h2", {id: "kernels"}, plural(rows.length, "kernel")));
    if (rows.length > 15) {
      const input = h("input", {type: "search", placeholder: "name of a kernel", "aria-label": "Show kernels whose name contains",
        oninput: () => list.show(rows.filter(k => k.name.toLowerCase().includes(input.value.toLowerCase())))});
      main.append(h("p", {class: "tools"}, input));
    }
    main.append(h("div", {class: rows.length > 15 ? "scroll tall" : "scroll", tabindex: 0, role: "region", "aria-label": "Kernels"}, list.table), columnWords(columns.map(c => c.name)));
  }

  /* ---- the timeline ---- */
  const copies = {"to device": "up", "to host": "down", "on device": "within", "on host": "within", set: "within"};
  function timeline() {
    const first = (run.spans || []).map(([what, process, stream, name, begin, end, n, bytes]) => ({what, process, stream, name, begin, end, n, bytes}))
      .filter(s => s.process === 1);
    if (!first.length) return;
    const from = Math.min(...first.map(s => s.begin)), to = Math.max(...first.map(s => s.end)), length = to - from || 1e-9;
    const streams = [...new Set(first.map(s => s.stream))].sort((a, b) => a - b).slice(0, 24);
    const W = 1100, L = 84, row = 24, H = streams.length * row + 24;
    const px = t => L + (t - from) / length * (W - L - 4);
    const told = s => (s.name ? shortName(s.name) : s.what) + (s.n > 1 ? " (" + count(s.n) + " together)" : "") + ", " + seconds(s.end - s.begin) +
      (s.bytes ? ", " + shortBytes(s.bytes) : "") + ", from " + seconds(s.begin - from) + " on";
    const bars = streams.flatMap((stream, i) => [g("text", {x: 0, y: i * row + 15}, stream ? "stream " + stream : "default"),
      first.filter(s => s.stream === stream).map(s => {
        const width = Math.max(px(s.end) - px(s.begin), 0.8), label = s.name ? shortName(s.name) : s.what;
        return [g("rect", {class: "span " + (copies[s.what] || "kernel"), x: px(s.begin), y: i * row + 3, width, height: row - 7}, g("title", {}, told(s))),
          width > 8 * label.length ? g("text", {class: "in", x: px(s.begin) + width / 2, y: i * row + 15}, label) : null];
      })]);
    const ticks = [0, 0.25, 0.5, 0.75, 1].map(f => g("text", {x: L + f * (W - L - 4), y: H - 6, "text-anchor": f === 1 ? "end" : f ? "middle" : "start"}, f ? seconds(f * length) : "0"));
    const sums = {};
    for (const s of first) sums[s.what] = (sums[s.what] || 0) + s.end - s.begin;
    const caption = "Predicted: " + seconds(length) + " in all; " + Object.entries(sums).map(([name, t]) => name + " " + seconds(t)).join(", ") + ".";
    main.append(h("h2", {id: "timeline"}, word("timeline", "Timeline")), h("figure", {class: "whole"},
      h("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "Timeline"}, g("svg", {class: "time", viewBox: "0 0 " + W + " " + H, role: "img", "aria-label": "Timeline of streams. " + caption}, bars, ticks)),
      h("figcaption", {}, h("i", {class: "key kernel"}), " ", word("kernel"), " ", h("i", {class: "key up"}), " to the device ", h("i", {class: "key down"}), " to the host ",
        h("i", {class: "key within"}), " on the device · " + caption)));
  }

  /* ---- one kernel ---- */
  const totals = [["shared", "wavefronts"], ["global", "sectors"], ["dshared", "sectors"], ["local", "sectors"],
    ["global", "transactions"], ["local", "transactions"], ["constant", "requests"]];
  function totalRows(k) {
    return totals.map(([space, unit]) => {
      let actual = 0, ideal = 0;
      for (const r of k.lines) if (r.space === space && r.unit === unit && r.ideal) { actual += r.actual; ideal += r.ideal; }
      return actual ? h("tr", {}, h("td", {}, word(space)), h("td", {}, count(actual)), h("td", {class: "text"}, word(unit)),
        h("td", {}, "ideal " + count(ideal)), h("td", {}, ratio(actual, ideal)), h("td", {}, bar(actual, ideal))) : null;
    });
  }
  function facts(k) {
    const o = k.occupancy, c = k.cluster;
    const all = [[word("grid"), size3(k.grid)], [word("block"), size3(k.block)], c[0] * c[1] * c[2] > 1 ? [word("cluster"), size3(c)] : null,
      k.dynamic_shared_bytes ? [word("shared", "dynamic shared"), count(k.dynamic_shared_bytes) + " B"] : null, [word("launches"), count(k.count)],
      [word("emulated", "emulated in"), seconds(k.seconds)],
      o ? [word("occupancy"), (o.registers_known ? "" : "about ") + percent(o.theoretical) + ", " + o.warps_per_sm + " of " + o.max_warps_per_sm + " warps" +
        (o.theoretical < 1 ? ", limited by " + o.limited_by.join(" and ") : "")] : null,
      o && o.registers ? [word("registers"), (o.registers_known ? "" : "about ") + o.registers] : null].filter(Boolean);
    return h("dl", {class: "facts"}, all.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
  }
  function timeBars(k) {
    const t = k.time;
    if (!t) return null;
    const shares = Object.entries(t.shares).filter(([, s]) => s >= 0.005).sort((a, b) => b[1] - a[1]);
    return [h("h3", {class: "flush"}, word("time", "Predicted time"), ": " + seconds(t.seconds)),
      h("p", {class: "soft"}, "between " + seconds(t.low) + " and " + seconds(t.high) + ", ", word("bottleneck", "limited by"), " ", word(t.bottleneck),
        ". Each bar: how long this resource alone would take."),
      h("table", {class: "totals"}, h("tbody", {}, shares.map(([name, s]) => h("tr", {}, h("th", {scope: "row"}, word(name)),
        h("td", {}, shareBar(s)), h("td", {}, percent(s)), h("td", {}, seconds(s * t.seconds))))))];
  }
  /* The roof: bytes from and to DRAM against floating-point operations, both axes logarithmic. The slope is the device's bandwidth; the
   * flat part is what its units could do with the operations of this kernel, as the prediction sees them. */
  function roofline(k) {
    const t = k.time, c = k.counters, units = ["fp32", "fp64", "tensor"];
    const flops = ["flop_fp16", "flop_fp32", "flop_fp64", "flop_tensor"].reduce((n, name) => n + (c[name] || 0), 0) / k.count;
    const bytes = ((c.dram_read_bytes || 0) + (c.dram_write_bytes || 0)) / k.count;
    if (!t || !flops || !bytes || !t.shares.dram) return null;
    const busiest = Math.max(...units.map(u => t.shares[u] || 0));
    if (!busiest) return null;
    const speed = bytes / (t.shares.dram * t.seconds), top = flops / (busiest * t.seconds);
    const x0 = flops / bytes, y0 = flops / t.seconds, ridge = top / speed;
    const decade = v => Math.floor(Math.log10(v));
    const left = decade(Math.min(x0, ridge)) - 1, right = decade(Math.max(x0, ridge)) + 2;
    const high = decade(top) + 1, low = Math.min(decade(y0), decade(speed * Math.pow(10, left)));
    const W = 460, H = 240, L = 62, B = 34;
    const px = v => L + (Math.log10(v) - left) / (right - left) * (W - L - 8);
    const py = v => H - B - (Math.log10(v) - low) / (high - low) * (H - B - 8);
    const grid = [];
    for (let d = left; d <= right; d++) grid.push(g("line", {class: "grid", x1: px(10 ** d), x2: px(10 ** d), y1: 8, y2: H - B}),
      g("text", {x: px(10 ** d), y: H - B + 12, "text-anchor": "middle"}, short(10 ** d)));
    for (let d = low; d <= high; d++) grid.push(g("line", {class: "grid", x1: L, x2: W - 8, y1: py(10 ** d), y2: py(10 ** d)}),
      g("text", {x: L - 4, y: py(10 ** d) + 3, "text-anchor": "end"}, short(10 ** d)));
    const roof = [[10 ** left, speed * 10 ** left], [ridge, top], [10 ** right, top]].filter(([, y]) => y >= 10 ** low);
    const bound = Math.min(top, speed * x0);
    const label = "Roofline: " + short(x0) + " operations per byte of DRAM, " + short(y0) + " operations per second, " + percent(y0 / bound) +
      " of the roof above it, which is " + (x0 < ridge ? "the bandwidth of DRAM" : "the arithmetic units") + ".";
    return h("figure", {}, g("svg", {viewBox: "0 0 " + W + " " + H, role: "img", "aria-label": label}, grid,
      g("polyline", {class: "roof", points: roof.map(([x, y]) => px(x) + "," + py(y)).join(" ")}),
      g("line", {class: "below", x1: px(x0), x2: px(x0), y1: py(bound), y2: py(y0)}), g("circle", {class: "dot", cx: px(x0), cy: py(y0), r: 5}),
      g("text", {x: (L + W) / 2, y: H - 4, "text-anchor": "middle"}, "operations per byte of DRAM (down: operations per second)")),
      h("figcaption", {}, word("roofline", "Roofline"), label.slice(8)));
  }
  /* The grid: what each block, or each group of neighbouring ones, cost. */
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  function waves(k, b) {
    const together = k.occupancy ? k.occupancy.blocks_per_sm * b.sms : 0;
    if (!together) return "";
    const rest = b.count % together;
    if (b.count <= together) return " All fit on the device at once: " + count(together) + " places on " + b.sms + " multiprocessors" + (b.count < b.sms ? ", " + count(b.sms - b.count) + " of which have nothing to do." : ".");
    return " " + count(together) + " fit on the device at once, so they come in " + plural(Math.ceil(b.count / together), "wave") +
      (rest ? ", of which the last fills " + percent(rest / together) + " of the device." : ".");
  }
  function blockPicture(k, b) {
    const cell = Math.max(6, Math.min(16, Math.floor(640 / b.columns))), W = b.columns * cell, H = b.rows * cell, down = b.count / b.across;
    const range = (from, n, most) => n > 1 ? from + " to " + (Math.min(from + n, most) - 1) : String(from);
    const name = i => b.in_line ? (b.fold_across > 1 ? "blocks " : "block ") + range(i * b.fold_across, b.fold_across, b.across)
      : (b.fold_across * b.fold_down > 1 ? "blocks x " : "block x ") + range(i % b.columns * b.fold_across, b.fold_across, b.across) + ", y " + range(Math.floor(i / b.columns) * b.fold_down, b.fold_down, down);
    const label = name(b.worst) + " cost most, " + short(b.most) + " cycles of memory" + (b.fold_across * b.fold_down > 1 ? " each" : "") + ": " + times(b.most, b.mean) + " the mean, " + (b.least ? times(b.most, b.least) + " the least" : "some cost nothing") + ".";
    const svg = g("svg", {viewBox: "0 0 " + W + " " + H, style: "max-width:" + W + "px", role: "img", "aria-label": "Grid: " + label});
    for (let i = 0; i < b.levels.length; i++) {
      if (b.in_line && i * b.fold_across >= b.across) break;
      const share = letters.indexOf(b.levels[i]) / 63;
      svg.append(g("rect", {x: i % b.columns * cell, y: Math.floor(i / b.columns) * cell, width: cell - 1, height: cell - 1, fill: "rgba(var(--heat), " + (0.06 + 0.94 * share).toFixed(3) + ")"},
        g("title", {}, name(i) + ": " + percent(share) + " of the most")));
    }
    return h("figure", {}, svg, h("figcaption", {}, h("i", {class: "key heat"}), " what a block costs, from nothing to the most. " + label[0].toUpperCase() + label.slice(1)));
  }
  function blockView(k) {
    const b = k.blocks;
    if (!b || b.count < 2 || !b.most) return [];
    return [h("h3", {}, word("blocks", "Blocks")), h("p", {}, b.levels ? "A block keeps memory busy for " + short(b.mean) + " " : "All " + count(b.count) + " blocks keep memory busy for " + short(b.mean) + " ",
      word("cost", "cycles"), b.levels ? " in the mean, but not all cost the same." : ".", waves(k, b)), b.levels ? blockPicture(k, b) : null];
  }
  /* Other layouts of arrays, as --what-if counted them. */
  function whatIf(k) {
    const arrays = [...new Set((k.what_if || []).map(w => w.array))];
    if (!arrays.length) return [];
    const about = w => w.exact ? "" : "~";
    const most = 12, rows = list => list.map(w => h("tr", {class: w.best ? "chosen" : null}, cells(w)));
    const unit = w => w.space === "global" ? "sectors" : "wavefronts", before = w => w[unit(w) + "_before"], after = w => w[unit(w) + "_after"];
    const timed = (k.what_if || []).some(w => w.seconds_after);
    const cells = w => [h("td", {class: "text where"}, w.then), h("td", {class: "text where wide"}, w.index), h("td", {}, about(w) + count(after(w))),
      h("td", {}, about(w) + percent(after(w) / before(w))), timed ? h("td", {}, w.seconds_after ? seconds(w.seconds_after) : "") : null,
      h("td", {class: "text"}, w.best ? h("strong", {}, word("recommended")) : w.refused || "")].filter(Boolean);
    const head = w => [["layout", "text"], ["element i goes to", "text wide"], [unit(w)], ["of now"], timed ? ["predicted"] : null, ["result", "text"]].filter(Boolean);
    return [h("h3", {}, word("layouts", "Other layouts"), ", counted"), arrays.map(name => {
      const all = k.what_if.filter(w => w.array === name), now = all[0];
      const where = now.about ? h("p", {class: "soft"}, h("code", {}, name), ": " + now.about + "; other kernels and the host would have to follow") : null;
      if (!now.then) return [h("p", {}, h("code", {}, name), ": no other layout is counted: " + now.refused), where];
      return [where, h("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "Layouts of " + name}, h("table", {},
        h("caption", {class: "left"}, h("code", {}, now.now), " as it is: " + count(before(now)) + " ", word(unit(now))),
        h("thead", {}, h("tr", {}, head(now).map(([t, kind]) => h("th", {scope: "col", class: kind}, t)))),
        h("tbody", {}, rows(all.slice(0, most))), all.length > most ? h("tbody", {}, h("tr", {}, h("td", {colspan: head(now).length, class: "text"},
          h("button", {type: "button", onclick: e => e.target.closest("tbody").replaceChildren(...rows(all.slice(most)))}, plural(all.length - most, "more layout"))))) : null))];
    })];
  }
  function cacheRows(k) {
    const c = k.counters;
    if (c.l1_sectors === undefined) return null;
    const l2 = c.l2_read_sectors + c.l2_write_sectors + c.l2_atomic_sectors;
    const hit = (part, whole) => whole ? percent(part / whole) + " hit" : "";
    return h("table", {class: "totals"}, h("tbody", {},
      h("tr", {}, h("th", {scope: "row"}, word("caches", "L1")), h("td", {}, count(c.l1_sectors) + " sectors"), h("td", {}, hit(c.l1_hit_sectors, c.l1_sectors))),
      h("tr", {}, h("th", {scope: "row"}, word("caches", "L2")), h("td", {}, count(l2) + " sectors"), h("td", {}, hit(c.l2_hit_sectors, l2))),
      h("tr", {}, h("th", {scope: "row"}, word("dram", "DRAM")), h("td", {}, shortBytes(c.dram_read_bytes) + " read"), h("td", {}, shortBytes(c.dram_write_bytes) + " written"))));
  }

  /* ---- pictures of an access ---- */
  const expand = (first, step) => Array.from({length: 32}, (_, i) => first + i * step);
  const lanesOn = s => s.lanes.map((a, i) => [i, a]).filter(([, a]) => a !== null);
  function patternName(s, bytes) {
    const on = lanesOn(s);
    if (on.length < 2) return "one lane";
    const d = on.slice(1).map(([, a], i) => a - on[i][1]);
    if (d.every(x => x === 0)) return "all lanes at one address";
    const elements = x => x % bytes ? x + " bytes" : x / bytes + (Math.abs(x) === bytes ? " element" : " elements");
    if (d.every(x => x === d[0])) return d[0] === bytes ? "neighbours" : "a stride of " + elements(d[0]) + " of " + bytes + " B";
    let run = 1;
    while (run < on.length && d[run - 1] === d[0]) run++;
    const jumps = [], regular = d.every((x, i) => (i + 1) % run ? x === d[0] : (jumps.push(x), true));
    if (regular && run > 1 && jumps.every(x => x === jumps[0])) {
      const inside = d[0] === bytes ? "neighbours" : d[0] === 0 ? "lanes at one address" : "lanes with a stride of " + elements(d[0]);
      return "groups of " + run + " " + inside + ", groups " + elements(jumps[0] + (run - 1) * d[0]) + " apart";
    }
    return "irregular addresses";
  }
  /* Lanes that banks of shared memory serve together, by the rules of capability 5.0 and later. */
  function bankGroups(s, r) {
    const bytes = r.bytes_per_lane, on = lanesOn(s);
    if (r.op === "matrix") return on.map(([i]) => Math.floor(i / 8));
    let size = bytes <= 4 ? 32 : bytes === 8 ? 16 : 8;
    const paired = step => on.every(([i, a]) => { const b = s.lanes[i ^ step]; return b === null || Math.floor(a / bytes) === Math.floor(b / bytes); });
    if (r.op === "load" && bytes > 4 && (paired(1) || paired(2))) size *= 2;
    return on.map(([i]) => Math.floor(i / size));
  }
  function bankPasses(s, r) {
    const on = lanesOn(s), groups = bankGroups(s, r), unit = Math.max(4, r.bytes_per_lane), banks = 128 / unit;
    const merge = r.op !== "atomic" && r.op !== "reduction";
    const known = new Map(), most = {};
    const marks = on.map(([lane, a], i) => {
      const u = Math.floor(a / unit), key = groups[i] + ":" + (u % banks);
      if (!known.has(key)) known.set(key, []);
      const list = known.get(key);
      let pass = merge ? list.indexOf(u) : -1;
      if (pass < 0) { list.push(u); pass = list.length - 1; }
      most[groups[i]] = Math.max(most[groups[i]] || 0, list.length);
      return {lane, pass: pass + 1, first: (u % banks) * unit / 4, width: unit / 4};
    });
    return {marks, total: Object.values(most).reduce((n, m) => n + m, 0)};
  }
  const passFill = p => "var(--p" + Math.min(p, 6) + ")";
  function banksPicture(s, r) {
    const {marks, total} = bankPasses(s, r), exact = s.cost % total === 0, cell = 16, high = 12, left = 46, top = 16;
    const svg = g("svg", {viewBox: "0 0 " + (left + 32 * cell + 2) + " " + (top + marks.length * high + 4), role: "img",
      "aria-label": "Lanes against the 32 banks of shared memory: " + plural(marks.length, "lane") + " need " + plural(s.cost, "pass", "passes") + "."});
    for (let b = 0; b < 32; b += 4) svg.append(g("text", {x: left + b * cell + 2, y: 11}, "bank " .slice(0, b ? 0 : 5) + b));
    marks.forEach((m, i) => {
      const y = top + i * high;
      svg.append(g("text", {x: left - 4, y: y + 9, "text-anchor": "end"}, "lane " + m.lane),
        g("rect", {x: left, y, width: 32 * cell, height: high - 1, fill: "var(--cell)"}),
        g("rect", {x: left + m.first * cell, y, width: m.width * cell - 1, height: high - 1, fill: exact ? passFill(m.pass) : "var(--used)"},
          g("title", {}, "lane " + m.lane + ", byte " + s.lanes[m.lane] + ": bank " + m.first + (exact ? ", pass " + m.pass : ""))));
      if (exact) svg.append(g("text", {class: "in", x: left + (m.first + m.width / 2) * cell, y: y + 9}, m.pass));
    });
    return [svg, exact ? "Rows: lanes, columns: banks of 4 bytes. The number is the pass that serves the lane: different numbers in one column are a conflict, the same number is served at once."
      : "Rows: lanes, columns: banks of 4 bytes."];
  }
  function bytesPicture(s, r) {
    const lines = new Map(), bytes = r.bytes_per_lane, most = 8;
    for (const [lane, a] of lanesOn(s)) for (let b = a; b < a + bytes; b++) {
      const line = Math.floor(b / 128), words = lines.get(line) || lines.set(line, new Map()).get(line);
      const w = Math.floor(b % 128 / 4);
      if (!words.has(w)) words.set(w, new Set());
      words.get(w).add(lane);
    }
    const order = [...lines.keys()].sort((a, b) => a - b), shown = order.slice(0, most), cell = 16, left = 62, top = 16, gap = 4;
    const sectors = order.reduce((n, l) => n + new Set([...lines.get(l).keys()].map(w => w >> 3)).size, 0);
    const svg = g("svg", {viewBox: "0 0 " + (left + 32 * cell + 3 * gap + 2) + " " + (top + shown.length * (cell + 3) + (order.length > most ? 14 : 2)), role: "img",
      "aria-label": "Bytes against sectors: " + plural(sectors, "sector") + " of 32 bytes in " + plural(order.length, "line") + " of 128 bytes."});
    for (let k = 0; k < 4; k++) svg.append(g("text", {x: left + k * (8 * cell + gap), y: 11}, "sector +" + 32 * k));
    shown.forEach((line, i) => {
      const y = top + i * (cell + 3), words = lines.get(line);
      svg.append(g("text", {x: left - 4, y: y + 11, "text-anchor": "end"}, "+" + (line - order[0]) * 128));
      for (let w = 0; w < 32; w++) {
        const used = words.get(w), moved = [...words.keys()].some(v => v >> 3 === w >> 3), x = left + w * cell + (w >> 3) * gap;
        const fillOf = used ? (Math.min(...used) & 1 ? "var(--used2)" : "var(--used)") : moved ? "var(--moved)" : "var(--cell)";
        svg.append(g("rect", {x, y, width: cell - 1, height: cell, fill: fillOf},
          g("title", {}, used ? "lanes " + [...used].join(" ") : moved ? "moved, not used" : "not moved")));
        if (used) svg.append(g("text", {class: "in", x: x + cell / 2, y: y + 11}, Math.min(...used) + (used.size > 1 ? "+" : "")));
      }
    });
    if (order.length > most) svg.append(g("text", {x: left, y: top + most * (cell + 3) + 10}, "and " + plural(order.length - most, "more line") + " of 128 bytes"));
    return [svg, "Rows: lines of 128 bytes, blocks: sectors of 32 bytes. Green: used, with the lane's number. Yellow: moved, but not used."];
  }
  function picture(s, r, title) {
    const [svg, legend] = r.space === "shared" ? banksPicture(s, r) : bytesPicture(s, r);
    const alike = s.of > 1 ? plural(s.alike, "access", "accesses") + " of " + count(s.of) + " looked at cost the same" : "";
    return h("figure", {}, h("figcaption", {}, h("strong", {}, title + ": " + plural(s.cost, r.unit.replace(/s$/, "")) + ", " + patternName(s, r.bytes_per_lane)),
      h("br"), "block " + s.block + ", warp " + s.warp + (alike ? "; " + alike : "")), svg, h("figcaption", {}, legend));
  }
  function pictures(r) {
    if (!r.samples) return null;
    const [worst, typical] = r.samples;
    if (worst.cost === typical.cost) return h("div", {class: "pictures"}, picture(worst, r, "A warp of this run"));
    return h("div", {class: "pictures"}, picture(worst, r, "The worst warp"), picture(typical, r, "A typical warp"));
  }

  /* ---- costly lines ---- */
  function callers(r) {
    const own = r.inlined.findIndex(f => f.line === r.line && f.file === r.file);
    const above = own < 0 ? [] : r.inlined.slice(own + 1);
    return above.length ? h("span", {class: "soft where"}, "inlined at " + above.map(f => f.shown + ":" + f.line).join(" < ")) : null;
  }
  function lineCard(k, r) {
    return h("article", {class: "card", id: "line-" + k.index + "-" + r.index},
      h("div", {class: "row"}, ratio(r.actual, r.ideal, true), h("span", {class: "where"}, place(r)), callers(r)),
      r.source ? h("code", {class: "source"}, r.source) : null,
      h("div", {class: "row"}, h("span", {}, what(r)), h("span", {}, (r.exact ? "" : "~") + count(r.actual) + " ", word(r.unit)), h("span", {}, "ideal " + count(r.ideal)), bar(r.actual, r.ideal),
        h("span", {class: "soft"}, percent(r.cost / k.cost) + " of what this kernel loses")),
      r.exact || !r.why ? null : h("p", {class: "soft"}, word("exact", "~ not exact"), ": " + r.why),
      r.advice ? advice(r.advice) : null,
      pictures(r));
  }
  function costly(k) {
    const bad = k.lines.filter(r => r.cost > 0).sort((a, b) => b.cost - a.cost || a.index - b.index), most = 8;
    if (!bad.length) return [h("p", {class: "card good"}, "Memory traffic at the ideal in every line of this kernel.")];
    const out = [h("h3", {}, "Lines above their ideal, the worst first"), bad.slice(0, most).map(r => lineCard(k, r))];
    if (bad.length > most) out.push(h("details", {ontoggle: once(e => bad.slice(most).forEach(r => e.append(lineCard(k, r))))},
      h("summary", {}, plural(bad.length - most, "more line"))));
    return out;
  }

  /* ---- the source with heat ---- */
  const first = ["wavefronts", "sectors", "transactions", "requests", "inst_executed"], around = 6;
  function sumLines(k) {
    const lines = new Map(), names = new Set();
    for (const r of k.lines) {
      const key = r.file + "\n" + r.line + (r.ptx ? "\nptx" : "");
      const to = lines.get(key) || lines.set(key, {file: r.file, shown: r.shown, line: r.line, ptx: r.ptx, source: r.source, cost: 0, counters: {}}).get(key);
      to.cost += r.cost;
      for (const name in r.counters) { if (name !== "bus_utilisation") to.counters[name] = (to.counters[name] || 0) + r.counters[name]; names.add(name); }
    }
    names.delete("bus_utilisation");
    const rank = n => first.includes(n) ? first.indexOf(n) : first.length;
    return {lines: [...lines.values()], names: [...names].sort((a, b) => rank(a) - rank(b))};
  }
  function heatCell(value, most) {
    const share = most ? value / most : 0;
    return h("td", {style: value ? "background: rgba(var(--heat), " + (0.55 * Math.sqrt(share)).toFixed(3) + ")" : null}, value ? count(value) : "");
  }
  function sourceOf(file) { /* Map of line number -> text */
    const index = run.files.indexOf(file), data = index < 0 ? null : read("lw-file-" + index);
    return data ? new Map(data) : new Map();
  }
  /* Instructions by file and line, of the text that the kernel's data has. */
  function ptxLines(k) {
    const lines = new Map();
    let file = "";
    for (const row of (k.ptx || "").split("\n")) {
      const [line, executed, text] = row.split("\t"), key = file + "\n" + line;
      if (line === "F") file = executed;
      else if (text) (lines.get(key) || lines.set(key, []).get(key)).push([+executed, text]);
    }
    return lines;
  }
  function annotated(k) {
    const ptx = ptxLines(k), opened = new Set();
    let everywhere = false;
    const {lines, names} = sumLines(k), chosen = new Set(names.filter(n => first.includes(n)).slice(0, 4));
    const files = [...new Set(lines.map(l => l.file))], holder = h("div", {});
    let by = "line", whole = false;
    const value = (l, name) => name === "cost" ? l.cost : l.counters[name] || 0;
    function table(file) {
      const own = lines.filter(l => l.file === file), text = sourceOf(file);
      const columns = ["cost", ...names.filter(n => chosen.has(n))];
      const most = Object.fromEntries(columns.map(c => [c, Math.max(...own.map(l => value(l, c)))]));
      const counted = new Map(own.map(l => [l.line, l]));
      const near = n => whole || own.some(l => Math.abs(l.line - n) <= around);
      const numbers = by === "line" ? [...new Set([...text.keys(), ...counted.keys()])].filter(near).sort((a, b) => a - b)
        : own.slice().sort((a, b) => value(b, by) - value(a, by) || a.line - b.line).map(l => l.line);
      const sort = (name, title) => h("th", {scope: "col", class: name === "line" ? "text" : null, "aria-sort": by === name ? (name === "line" ? "ascending" : "descending") : "none"},
        h("button", {type: "button", title, onclick: () => { by = name; draw(); }}, name === "cost" ? "lost" : name));
      const rows = [];
      numbers.forEach((n, i) => {
        if (by === "line" && i && n > numbers[i - 1] + 1) rows.push(h("tr", {class: "gap"}, h("td", {class: "no"}, "⋮")));
        const l = counted.get(n), key = file + "\n" + n, own = l && l.ptx, below = own ? [] : ptx.get(key) || [];
        const isOpen = everywhere || opened.has(key), said = text.get(n) || (l && l.source) || (own && ptx.get(key) || []).map(i => i[1]).join(" ") || "";
        const toggle = below.length ? h("button", {type: "button", class: "ptx", "aria-expanded": String(isOpen), "aria-label": "PTX of line " + n, "data-key": key,
          onclick: () => { if (!opened.delete(key)) opened.add(key); draw(); [...holder.querySelectorAll("button.ptx")].find(b => b.dataset.key === key).focus(); }}, isOpen ? "\u25be" : "\u25b8") : null;
        rows.push(h("tr", {class: l && l.cost ? "hot" : null}, h("td", {class: "no"}, toggle, n),
          columns.map(c => l ? heatCell(Math.round(value(l, c)), most[c]) : h("td")), h("td", {class: "text"}, said)));
        if (isOpen && below.length) rows.push(...below.map(([executed, t]) => h("tr", {class: "ptx"}, h("td"),
          h("td", {colspan: columns.length, title: "warp instructions"}, executed ? count(executed) : ""), h("td", {class: "text"}, t))));
      });
      return [h("h4", {class: "where"}, (own[0].ptx ? "PTX " : "") + own[0].shown),
        h("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "Source of " + own[0].shown},
          h("table", {class: "code"}, h("thead", {}, h("tr", {}, sort("line", "in order"),
            columns.map(c => sort(c, c === "cost" ? "cycles lost above the ideal" : run.counters[c])), h("th", {scope: "col", class: "text"}, "source"))), h("tbody", {}, rows)))];
    }
    function draw() { holder.replaceChildren(...files.flatMap(table)); }
    const boxes = names.map(n => h("label", {title: run.counters[n]},
      h("input", {type: "checkbox", checked: chosen.has(n) ? "" : null, onchange: e => { if (e.target.checked) chosen.add(n); else chosen.delete(n); draw(); }}), " " + n));
    const all = h("label", {}, h("input", {type: "checkbox", onchange: e => { whole = e.target.checked; draw(); }}), " lines without accesses, too");
    const beside = ptx.size ? h("label", {}, h("input", {type: "checkbox", onchange: e => { everywhere = e.target.checked; opened.clear(); draw(); }}), " PTX of every line") : null;
    draw();
    return [h("h3", {}, "Source"), columnWords(["lost", ...names]), h("details", {class: "tools"}, h("summary", {}, "Columns and lines"), h("fieldset", {}, boxes, all, beside)),
      ptx.size && lines.some(l => !l.ptx) ? h("p", {class: "soft"}, "\u25b8 shows the PTX of a line, and how often warps executed it.") : null, holder].filter(Boolean);
  }

  /* ---- a kernel's section ---- */
  const detail = h("section", {id: "kernel", "aria-live": "polite"});
  function open(index, scroll) {
    const k = read("lw-kernel-" + index);
    if (!k) return;
    for (const r of k.lines) for (const s of r.samples || [])
      if (s.lanes.length === 2) s.lanes = expand(s.lanes[0], s.lanes[1]);
    k.index = index;
    k.lines.forEach((r, i) => { r.index = i; });
    if (k.lines.some(r => r.ptx)) { /* without line information the instruction is the source */
      const ptx = ptxLines(k);
      for (const r of k.lines) if (r.ptx && !r.source) r.source = (ptx.get(r.file + "\n" + r.line) || []).map(i => i[1])[0];
    }
    k.cost = k.lines.reduce((n, r) => n + r.cost, 0);
    const old = document.querySelector("tr.chosen"), row = document.getElementById("row-" + index);
    if (old) old.classList.remove("chosen");
    if (row) row.classList.add("chosen");
    const remarks = [k.note ? k.note + ": what ran until then is counted." : "",
      k.schedule_dependent ? "Schedule-dependent: a block read what another block of the launch wrote, so counts can differ from run to run." : ""].filter(Boolean);
    const title = h("h2", {class: "kernel", id: "kernel-" + index, tabindex: -1}, fullName(k.kernel));
    const rows = totalRows(k).filter(Boolean);
    detail.replaceChildren(title, facts(k), ...remarks.map(t => h("p", {class: "card"}, t)),
      h("div", {class: "beside"}, h("div", {}, h("div", {class: "scroll"},
        rows.length ? h("table", {class: "totals"}, h("tbody", {}, rows)) : h("p", {class: "soft"}, "No memory access was counted."), cacheRows(k)),
        roofline(k)), h("div", {}, timeBars(k) || [])), ...blockView(k).filter(Boolean), ...whatIf(k).flat(Infinity).filter(Boolean), ...(k.lines.length ? [...costly(k).flat(), ...annotated(k)] : []));
    if (scroll) { title.focus({preventScroll: true}); title.scrollIntoView(); }
  }

  /* ---- the rest ---- */
  function closing() {
    const notes = run.messages.concat(run.changed.map(f => f + " is newer than the program: lines may have moved, so their text is not shown. Build the program again."));
    if (notes.length) main.append(h("h2", {}, "Remarks"), h("ul", {}, notes.map(n => h("li", {}, n))));
    main.append(h("h2", {id: "words"}, "The words of this page"), glossary = h("dl", {class: "words"}, Object.keys(run.words).filter(n => linked.has(n)).map(explanation)));
    main.append(h("footer", {}, "lanewise " + run.lanewise + " · counts of " + run.device.name + " without a GPU · the same words in the terminal: lanewise explain WORD"));
  }

  /* ---- two runs ---- */
  function ratioOf(p) {
    const text = !p.after ? "gone" : p.before ? (p.after / p.before).toFixed(p.after < 0.1 * p.before ? 3 : 2) + "x" : "new";
    return h("span", {class: "ratio" + (p.after <= p.before ? " fine" : "")}, text);
  }
  const changes = p => [h("td", {}, count(p.before)), h("td", {}, count(p.after)), h("td", {}, ratioOf(p))];
  const changeHead = first => h("thead", {}, h("tr", {}, first.map(t => h("th", {scope: "col", class: t === "source" ? "text wide" : "text"}, t)),
    ["before", "after", "ratio"].map(t => h("th", {scope: "col"}, t))));
  function changedLine(l) {
    const moved = l.was ? " (was " + l.was + ":" + l.line_before + ")" : l.line_before && l.line_after && l.line_before !== l.line_after ? " (was " + l.line_before + ")" : "";
    const state = !l.line_before ? " new" : !l.line_after ? " gone" : "";
    return h("tr", {}, h("td", {class: "text where"}, l.shown + ":" + (l.line_after || l.line_before) + moved + state),
      h("td", {class: "text wide"}, l.source ? h("code", {}, l.source) : null), h("td", {class: "text"}, l.space + " " + l.op + " " + l.counter), changes(l));
  }
  function changedKernel(k) {
    const counters = Object.entries(k.counters).filter(([, p]) => p.before !== p.after);
    const card = k.change === "better" ? "card good" : k.change === "worse" ? "card first" : "card";
    return h("section", {class: card}, h("h2", {class: "kernel"}, fullName(k.kernel), " ", h("span", {class: "soft"}, k.change)),
      k.time ? h("p", {}, "Predicted time " + seconds(k.time.before) + " → " + seconds(k.time.after) + " ", ratioOf(k.time)) : null,
      counters.length ? h("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "Counters"}, h("table", {class: "totals"}, changeHead(["counter"]),
        h("tbody", {}, counters.map(([name, p]) => h("tr", {}, h("td", {class: "text"}, name), changes(p)))))) : null,
      k.lines.length ? h("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "Lines"}, h("table", {}, changeHead(["line", "source", "access"]),
        h("tbody", {}, k.lines.map(changedLine)))) : null);
  }
  function twoRuns() {
    const named = name => compared.kernels.filter(k => k.change === name);
    const device = d => d[0] + (d[1] ? " (cc " + d[1] + ")" : "");
    const [a, b] = compared.devices.map(device);
    document.getElementById("head").append(h("h1", {}, "lanewise diff"), h("span", {}, a === b ? a : a + " → " + b), h("span", {class: "grow"}), themeButton());
    const tally = ["worse", "mixed", "better", "same", "only before", "only after"].filter(n => named(n).length).map(n => named(n).length + " " + n).join(", ");
    main.append(h("p", {class: "card" + (compared.failed.length ? " bad" : "")}, h("strong", {}, plural(compared.kernels.length, "kernel") + ": "), tally + ". Counts are per launch.",
      compared.failed.map(t => h("p", {}, h("strong", {}, "failed: "), t))));
    for (const [list, word] of [[compared.new, "new"], [compared.mended, "mended"]])
      list.forEach(f => main.append(h("article", {class: "card"}, h("span", {class: "sev " + (word === "new" ? f.severity : "note")}, word + " " + f.severity), " " + f.check + ": " + f.message)));
    for (const name of ["worse", "mixed", "better"]) main.append(...named(name).map(changedKernel));
    for (const name of ["only before", "only after"]) main.append(...named(name).map(k => h("p", {class: "soft"}, name + ": " + fullName(k.kernel))));
    main.append(h("footer", {}, "lanewise " + compared.lanewise));
    document.documentElement.dataset.drawn = String(Math.round(performance.now()));
  }
  if (compared) return twoRuns();

  run.kernels.forEach((k, i) => { k.index = i; });
  head();
  start();
  findings();
  kernels();
  timeline();
  main.append(detail);
  const asked = /^#kernel-(\d+)$/.exec(location.hash);
  if (run.kernels.length) open(asked ? +asked[1] : run.worst.length ? run.worst[0].kernel : 0, false);
  closing();
  document.documentElement.dataset.drawn = String(Math.round(performance.now())); /* ms since the page was opened */
  addEventListener("hashchange", () => { const m = /^#kernel-(\d+)$/.exec(location.hash); if (m && !document.getElementById(location.hash.slice(1))) open(+m[1], true); });
})();
