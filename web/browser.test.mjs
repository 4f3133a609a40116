// Pages of zerohop in a real browser; pages.mjs says which.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { allPairs, assertAxeFindsNothing, assertFits, close as closeAll, launch, open, path, run } from "./pages.mjs";

// A text that would be markup, a script, a formula or a link, and one that is written from right to left.
const HOSTILE = "=1+1</script><script>window.broken=1</script><img src=x onerror=window.broken=1>\"'&`שלום";
const PAGES = ["survey.html", "hostile.html", "several.html", "experiment.html", "machine.html", "diagnosis.html", "comparison.html", "placement.html", "list.html", "fleet.html", "cores.html"];

before(async () => {
  run("survey", "--on", "sr665-v3", "--fault", "channels:node0=3", "-o", "sick");
  run("survey", "--on", "cascade-lake-4s", "-o", "well");
  run("show", "sick", "-o", "survey.html");
  const hostile = JSON.parse(readFileSync(path("sick/result.json"), "utf8"));
  hostile.machine.name = HOSTILE;
  hostile.machine.processor.model = HOSTILE;
  writeFileSync(path("hostile.json"), JSON.stringify(hostile));
  run("show", "hostile.json", "-o", "hostile.html");
  run("report", "sick", "well", "-o", "several.html");
  run("run", "ramp", "--on", "cascade-lake-4s", "-o", "experiment.html");
  run("machine", "show", "quartet", "-o", "machine.html");
  run("diagnose", "sick", "-o", "diagnosis.html");
  run("compare", "sick", "hostile.json", "-o", "comparison.html");
  run("advise", "placement", "well", "--threads", "8", "--data", "shared", "--bytes", "40G", "-o", "placement.html");
  run("machine", "list", "-o", "list.html");
  fleet();
  run("run", "core-to-core", "--full", "--on", "epyc-9005,sockets=2,cores=192", "-o", "pairs.json");
  writeFileSync(path("cores.json"), JSON.stringify(allPairs("pairs.json", 200)));
  run("show", "cores.json", "-o", "cores.html");
  await launch();
});

after(closeAll);

// Twelve nodes in two racks, one of them at a quarter, and with a report.
function fleet() {
  mkdirSync(path("nodes"));
  for (let node = 0; node < 12; node += 1) {
    const share = node === 3 ? 0.25 : 1;
    const [own, far] = [(180000 + 100 * node) * share, 60000 * share].map((value) => value.toFixed(1));
    const rows = `       0\t${own}\t${far}\n       1\t${far}\t${own}\n`;
    const head = "Bandwidths are in MB/sec (1 MB/sec = 1,000,000 Bytes/sec)\nUsing Read-only traffic type\n\t\tNuma node\nNuma node\t     0\t     1\n";
    writeFileSync(path(`nodes/n${node}.txt`), `Intel(R) Memory Latency Checker - v3.9\nMeasuring Memory Bandwidths between nodes within system\n${head}${rows}`);
  }
  run("fleet", "analyse", "nodes", "-o", "lonely.html");
  run("show", "sick", "-o", "nodes/n3.html");
  const facts = Array.from({ length: 12 }, (_, node) => `n${node},r${node % 2},${node === 3 || node === 5 ? "1.2" : "1.3"}`);
  writeFileSync(path("facts.csv"), ["node,rack,bios", ...facts, ""].join("\n"));
  run("fleet", "analyse", "nodes", "--facts", "facts.csv", "-o", "fleet.html");
}

for (const name of PAGES) {
  test(`${name}: nothing fails, nothing leaves the page, and axe finds nothing`, async () => {
    const { page, odd, close } = await open(name, { bypassCSP: true });
    await assertAxeFindsNothing(page);
    assert.deepEqual(odd, []);
    await close();
  });

  test(`${name}: it fits 360 pixels and 4K, and has its words without script`, async () => {
    const words = [];
    for (const options of [{ viewport: { width: 360, height: 800 } }, { viewport: { width: 3840, height: 2160 } }, { javaScriptEnabled: false }]) {
      const { page, odd, close } = await open(name, options);
      if (options.viewport) {
        await assertFits(page, options.viewport.width);
        await page.evaluate(() => document.querySelectorAll("button").forEach((button) => button.remove()));
      }
      words.push((await page.locator("main").innerText()).replace(/\s+/g, " "));
      assert.deepEqual(odd, []);
      await close();
    }
    assert.equal(words[0], words[1]);
    assert.equal(words[0], words[2]);
  });
}

test("the page carries its data, and the machine is drawn with the bandwidth of each node", async () => {
  const { page, close } = await open("survey.html");
  const data = JSON.parse(await page.locator("script.zerohop-data").first().textContent());
  assert.deepEqual(data, JSON.parse(readFileSync(path("sick/result.json"), "utf8")));
  const drawn = await page.locator(".drawn .drawing svg text").allTextContents();
  const { cells } = data.experiments.find(({ experiment }) => experiment === "bandwidth-matrix");
  const own = cells.filter(({ at, measure }) => at.initiator === at.target && measure === "bandwidth_gbps");
  assert.equal(own.length, 2);
  for (const { estimate } of own) {
    const shown = estimate.median.toFixed(1);
    assert.ok(drawn.some((words) => words.includes(shown)), `${shown} is not drawn`);
  }
  await close();
});

test("matrices are tables whose heads name the nodes of each value", async () => {
  const { page, close } = await open("survey.html");
  const { experiments } = JSON.parse(await page.locator("script.zerohop-data").first().textContent());
  const shown = await page.locator("table.heat").evaluateAll((tables) => tables.map((table) => ({
    caption: table.caption.textContent,
    heads: [...table.tHead.rows[0].cells].slice(1).map((head) => head.textContent),
    rows: [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent.replace(/ \(.*/, ""))),
    colours: new Set([...table.querySelectorAll("td.number")].map((cell) => getComputedStyle(cell).backgroundColor)).size,
  })));
  assert.deepEqual(shown.map(({ caption }) => caption), ["latency (ns)", "bandwidth (GB/s)", "latency (% of comparable pairs)", "bandwidth (% of comparable pairs)"]);
  for (const [rank, name, measure] of [[0, "latency-matrix", "latency_ns"], [1, "bandwidth-matrix", "bandwidth_gbps"]]) {
    const { heads, rows, colours } = shown[rank];
    assert.deepEqual(heads, ["to node 0", "to node 1"]);
    assert.ok(colours > 1);
    const { cells } = experiments.find(({ experiment }) => experiment === name);
    for (const { at, estimate } of cells.filter((cell) => cell.measure === measure)) {
      const value = rows[at.initiator][1 + at.target];
      assert.ok(Math.abs(Number.parseFloat(value) / estimate.median - 1) < 0.005, `${value}: ${estimate.median}`);
    }
  }
  // Node 0 has 3 of 12 channels less; its mark says so.
  assert.match(shown[1].rows[0][1], / !$/);
  await close();
});

test("a map of many cores zooms, and names each pair by keyboard and pointer", async () => {
  const { page, odd, close } = await open("cores.html", { bypassCSP: true });
  const { experiments } = JSON.parse(readFileSync(path("cores.json"), "utf8"));
  const value = (from, to) => experiments[0].cells.find(({ at }) => at.from === from && at.to === to).estimate.median.toFixed(1);
  const opener = page.getByRole("button", { name: /^zoom: core-to-core latency/ });
  await opener.click();
  const canvas = page.getByRole("application");
  const words = page.locator(".zoom output");
  const pixels = () => canvas.evaluate((one) => one.toDataURL());
  assert.equal(await canvas.evaluate((one) => one === document.activeElement), true);
  await canvas.press("Home");
  await canvas.press("PageUp");
  assert.equal(await words.textContent(), `CPU 0 → CPU 1: ${value(0, 1)} ns, same L3 0`);
  await canvas.press("End");
  assert.equal(await words.textContent(), `CPU 0 → CPU 199: ${value(0, 199)} ns, package 0 and package 1`);
  await canvas.press("PageDown");
  await canvas.press("Home");
  assert.match(await words.textContent(), /: no value/);
  const whole = await pixels();
  for (let step = 0; step < 12; step += 1) await canvas.press("+");
  await page.waitForTimeout(100);
  const near = await pixels();
  assert.notEqual(near, whole);
  await canvas.press("ArrowUp");
  await canvas.press("0");
  await canvas.press("ArrowDown");
  await page.waitForTimeout(100);
  assert.equal(await pixels(), whole, "0 shows the whole map");
  // A pixel of a cell has the picture's colour.
  const [drawn, given] = await page.evaluate(() => {
    const one = document.querySelector(".zoom canvas");
    const data = JSON.parse(document.querySelector("metadata.zerohop-map").textContent);
    const scale = Math.min((one.clientWidth - 72) / data.columns.length, (one.clientHeight - 56) / data.rows.length);
    const [row, column] = [20, 150];
    const place = [72 + (column + 0.5) * scale, 56 + (row + 0.5) * scale].map((at) => Math.round(at * devicePixelRatio));
    const [red, green, blue] = one.getContext("2d").getImageData(...place, 1, 1).data;
    const hexadecimal = [red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("");
    return [`#${hexadecimal}`, data.palette[data.shades.charCodeAt(row * data.columns.length + column) - 97][0]];
  });
  assert.equal(drawn, given);
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + 70);
  assert.match(await words.textContent(), /^CPU \d+ → CPU \d+: [\d.]+ ns, /);
  await page.mouse.wheel(0, -600);
  await page.waitForTimeout(100);
  assert.notEqual(await pixels(), whole);
  await assertAxeFindsNothing(page);
  await canvas.press("Escape");
  assert.equal(await page.locator(".zoom").count(), 0);
  assert.equal(await opener.evaluate((one) => one === document.activeElement), true);
  assert.deepEqual(odd, []);
  await close();
});

test("the first screen says what is wrong, how sure, and what to do, and copies it for a ticket", async () => {
  const { page, close } = await open("survey.html", { viewport: { width: 1440, height: 900 }, permissions: ["clipboard-read", "clipboard-write"] });
  assert.match(await page.locator(".verdict").innerText(), /1 fault/);
  const card = page.locator(".card").first();
  assert.match(await card.innerText(), /node 0 reads .* from local memory[^]*\d+ %: channels of node 0[^]*what to do/);
  const box = await card.boundingBox();
  assert.ok(box.y + box.height <= 900, `the finding ends at ${box.y + box.height}`);
  await card.getByRole("button", { name: "copy as Markdown" }).click();
  await card.getByRole("button", { name: /copied|saved/ }).waitFor();
  await close();
});

test("each statement stands once: a finding leads to its values, and the contents to every section", async () => {
  const { page, odd, close } = await open("survey.html", { viewport: { width: 1440, height: 900 } });
  const title = await page.locator(".card h2").first().innerText();
  const words = title.replace(/^fault\s+/, "");
  await page.evaluate(() => document.querySelectorAll("details").forEach((list) => { list.open = true; }));
  const text = await page.locator("main").innerText();
  assert.equal(text.split(words).length - 1, 1, words);
  await page.reload();
  await page.locator(".support summary").first().click();
  const evidence = page.locator(".support a").first();
  const target = await evidence.getAttribute("href");
  await evidence.click();
  assert.match(target, /^#value-/);
  assert.ok(await page.locator(target).isVisible());
  for (const link of await page.locator("nav.contents a").all()) {
    const section = await link.getAttribute("href");
    await link.click();
    assert.ok(await page.locator(section).isVisible(), section);
  }
  await page.locator("nav.contents a[href='#method'], nav.contents a[href='#trust']").first().click();
  await page.waitForFunction(() => document.querySelector("nav.contents [aria-current]")?.hash === "#trust");
  assert.deepEqual(odd, []);
  await close();
});

test("a chart says its values by pointer and by keyboard", async () => {
  const { page, odd, close } = await open("survey.html");
  const chart = page.locator("figure.drawing").filter({ hasText: "latency under load" }).first();
  await chart.locator(".plot").focus();
  await page.keyboard.press("ArrowRight");
  assert.match(await chart.getByRole("status").innerText(), /ns at .* GB\/s/);
  await page.keyboard.press("Escape");
  assert.equal(await chart.locator(".tip").isVisible(), false);
  await chart.locator("circle").nth(2).hover();
  assert.ok(await chart.locator(".tip").isVisible());
  assert.deepEqual(odd, []);
  await close();
});

test("a node of a fleet is named where it is drawn, and its report is reached by the keyboard", async () => {
  const { page, odd, close } = await open("fleet.html", { allowed: (asked) => asked.endsWith("/nodes/n3.html") });
  const squares = await page.locator(".fleet-nodes > *").evaluateAll((all) => all.map((one) => one.title));
  assert.equal(squares.length, 12);
  const tips = await page.locator(".fleet-spread title").allTextContents();
  for (const node of ["n0", "n11"]) {
    assert.ok(squares.includes(node), node);
    assert.ok(tips.some((tip) => tip.startsWith(`${node}: `)), node);
  }
  assert.ok(squares.some((title) => title.startsWith("n3, loses 75 %")), squares.join());
  const report = page.locator(".fleet-nodes a");
  await report.focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(/nodes\/n3\.html$/);
  assert.deepEqual(odd, []);
  await close();
});

test("the map of a fleet comes first, with its worst nodes beside it or below", async () => {
  const { page, close } = await open("fleet.html");
  const box = (selector) => page.locator(selector).first().boundingBox();
  const [map, list] = [await box(".fleet-map"), await box(".fleet-worst")];
  assert.ok(map.y < 450 && list.x > map.x + map.width - 1 && list.y < 450, JSON.stringify([map, list]));
  assert.equal(await page.locator(".fleet-rack-name b").allTextContents().then(String), "r0,r1");
  await page.setViewportSize({ width: 390, height: 800 });
  assert.ok((await box(".fleet-worst")).y > (await box(".fleet-map")).y);
  await close();
});

test("a bad node of a fleet without a report is described on the page", async () => {
  const { page, close } = await open("lonely.html");
  await page.locator(".fleet-worst a").first().click();
  assert.ok(await page.locator("details[open] .fleet-causes, details[open] table").first().isVisible());
  await close();
});

test("data and tables are saved, and every verb reads the page back", async () => {
  const { page, close } = await open("survey.html");
  const save = async (words) => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: words, exact: true }).first().click()]);
    return readFileSync(await download.path(), "utf8");
  };
  assert.deepEqual(JSON.parse(await save("save as JSON")), JSON.parse(readFileSync(path("sick/result.json"), "utf8")));
  assert.match(await save("save as CSV"), /^from ↓ to →,to node 0/);
  assert.match(await save("save as SVG"), /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/);
  assert.match(await save("save as PNG"), /^.PNG\r\n/);
  await close();
  assert.equal(run("show", "survey.html"), run("show", "sick"));
  const words = (name) => run("diagnose", name).replaceAll("survey.html", "sick").replace(/ +/g, " ");
  assert.equal(words("survey.html"), words("sick"));
  const whole = readFileSync(path("survey.html"), "utf8");
  writeFileSync(path("cut.html"), whole.slice(0, whole.length / 2));
  assert.throws(() => run("show", "cut.html"), /it is a truncated zerohop page/);
});

test("a hostile name runs nothing, and is shown as it is", async () => {
  const { page, odd, close } = await open("hostile.html");
  assert.equal(await page.evaluate(() => window.broken), undefined);
  assert.equal(await page.locator("main img").count(), 0);
  assert.ok((await page.title()).includes("</script><script>"));
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "save as CSV" }).last().click()]);
  const fields = readFileSync(await download.path(), "utf8").split(/\r\n|,/);
  assert.ok(fields.every((field) => !/^"?[=@]/.test(field)), "a formula");
  assert.deepEqual(odd, []);
  await close();
});

test("the keyboard reaches every table, picture, button and list, and opens lists", async () => {
  const { page, close } = await open("survey.html");
  // What is in a closed list is not to be reached.
  const reachable = () => [...document.querySelectorAll("button, .scroll, pre, summary, a[href]")].filter((one) => one.checkVisibility());
  const walk = async () => {
    const wanted = await page.evaluate(`(${reachable})().length`);
    const reached = new Set();
    for (let step = 0; step < wanted + 5; step += 1) {
      await page.keyboard.press("Tab");
      reached.add(await page.evaluate(`(${reachable})().indexOf(document.activeElement)`));
    }
    reached.delete(-1);
    assert.equal(reached.size, wanted);
    return wanted;
  };
  const closed = await walk();
  for (const list of ["details:has(> #all-values) > summary", "#all-values details > summary"]) {
    await page.locator(list).first().focus();
    await page.keyboard.press("Enter");
  }
  assert.ok(await page.locator("#all-values details[open] table.values").isVisible());
  await page.evaluate(() => document.activeElement.blur());
  assert.ok((await walk()) > closed);
  await close();
});

test("a list has every value of its experiment, with its samples and the command that takes it again", async () => {
  const { page, close } = await open("survey.html", { bypassCSP: true });
  const result = JSON.parse(readFileSync(path("sick/result.json"), "utf8"));
  for (const { experiment, cells } of result.experiments) {
    const list = page.locator("#all-values details").filter({ has: page.locator("summary", { hasText: `${experiment}: ` }) }).first();
    assert.equal(await list.locator("tbody tr").count(), cells.length, experiment);
    assert.match(await list.locator("p.command code").textContent(), new RegExp(`^zerohop run ${experiment} --on '`));
    const sampled = cells.some(({ samples }) => samples.length > 1) ? cells.filter(({ samples }) => samples.length > 0).length : 0;
    assert.equal(await list.locator("svg.strip").count(), sampled, experiment);
  }
  await page.evaluate(() => document.querySelectorAll("details").forEach((list) => { list.open = true; }));
  await assertAxeFindsNothing(page);
  await close();
});

test("it is light or dark as the reader wants, and prints on three pages", async () => {
  const colours = [];
  for (const colorScheme of ["light", "dark"]) {
    const { page, close } = await open("survey.html", { colorScheme });
    colours.push(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
    if (colorScheme === "dark") {
      for (const format of ["A4", "Letter"]) {
        const pdf = await page.pdf({ format });
        const pages = pdf.toString("latin1").match(/\/Type\s*\/Page\b/g).length;
        assert.ok(pages <= 3, `${pages} pages of ${format}`);
      }
    }
    await close();
  }
  assert.deepEqual(colours, ["rgb(255, 255, 255)", "rgb(16, 22, 28)"]);
});
