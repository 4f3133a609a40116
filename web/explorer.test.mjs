// The explorer in a real browser. `ZEROHOP` names a program with the explorer inside; pages.mjs says the rest.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { assertAxeFindsNothing, assertFits, close as closeAll, launch, open, path, run } from "./pages.mjs";

before(async () => {
  run("explore", "sr665-v3", "-o", "explore.html");
  run("explore", "-o", "all.html");
  await launch();
});

after(closeAll);

const settled = (page) => page.waitForFunction(() => document.documentElement.dataset.answers === location.hash);

// The page, once it has answered what the fragment asks. Its worker is a blob of its own.
async function explored(name, options = {}) {
  const opened = await open(name, { allowed: (address) => address.startsWith("blob:null/"), ...options });
  await settled(opened.page);
  return opened;
}

const card = (page, name) => page.locator(`.card[data-run="${name}"]`);
const commandOf = (one) => one.locator("p.command code").first().innerText();
const words = (command) => command.match(/'[^']*'|\S+/g).map((word) => word.replace(/^'|'$/g, ""));

// The document of a card, held to what the program prints for the card's command.
async function assertProgramSaysTheSame(one) {
  const command = await commandOf(one);
  const json = await one.evaluate((section) => section.zerohopJson);
  assert.equal(json.trimEnd(), run(...words(command).slice(1), "--format", "json").trimEnd(), command);
}

const FRAGMENTS = [
  "",
  "#on=quartet&set=node_interleaving%3Don&run=hops&run=crossfire+--background+low",
  "#on=cascade-lake-4s&run=ramp+--initiators+0%2C1%2C2+--targets+3+--kernel+triad&run=hops",
  "#on=epyc-9004&set=cores%3D64&fault=channels%3Anode0%3D3&run=loaded-latency&run=mixes",
];

for (const fragment of FRAGMENTS) {
  test(`${fragment || "the default"}: every document is the program's own, to the last digit`, async () => {
    const { page, odd, close } = await explored("explore.html", { fragment });
    const cards = await page.locator(".card[data-command=run]").all();
    assert.equal(cards.length, 2);
    for (const one of cards) await assertProgramSaysTheSame(one);
    assert.deepEqual(odd, []);
    await close();
  });
}

for (const name of ["explore.html", "all.html"]) {
  test(`${name}: axe finds nothing, light and dark, and it fits 360 pixels and 4K`, async () => {
    for (const options of [{ colorScheme: "light" }, { colorScheme: "dark" }, { viewport: { width: 360, height: 800 } }, { viewport: { width: 3840, height: 2160 } }]) {
      const { page, odd, close } = await explored(name, { bypassCSP: true, ...options });
      await page.evaluate(() => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
      await assertAxeFindsNothing(page);
      await assertFits(page, page.viewportSize().width);
      assert.deepEqual(odd, []);
      await close();
    }
  });
}

test("without script it says what it needs", async () => {
  const { page, close } = await open("explore.html", { javaScriptEnabled: false });
  assert.match(await page.locator("main").innerText(), /needs JavaScript/);
  await close();
});

test("a page of no machine lists all, and shows the one that is chosen", async () => {
  const { page, odd, close } = await explored("all.html");
  assert.equal(await page.locator(".card").count(), 0);
  assert.equal(await page.locator(".story").count(), 6);
  const listed = run("machine", "list", "--format", "csv").trim().split(/\r?\n/).slice(1).map((line) => line.split(",")[0]);
  const offered = await page.locator("optgroup[label=machines] option").evaluateAll((all) => all.map(({ value }) => value));
  assert.deepEqual(offered, listed);
  await page.getByLabel("machine", { exact: true }).selectOption("quartet");
  await settled(page);
  assert.match(await card(page, "latency-matrix").locator("p.command code").innerText(), /--on quartet --solver flow$/);
  assert.deepEqual(odd, []);
  await close();
});

test("a change of an option changes every picture, and its address restores it", async (context) => {
  const { page, odd, close } = await explored("explore.html");
  const pictures = () => page.locator(".map figure.picture, #answers figure.picture").evaluateAll((all) => all.map(({ innerHTML }) => innerHTML));
  const before = await pictures();
  assert.equal(before.length, 3);
  const times = [];
  for (const links of ["3", "4", "3", "4", "3"]) {
    await page.getByLabel("links", { exact: true }).selectOption(links);
    await settled(page);
    times.push(Number(await page.evaluate(() => document.documentElement.dataset.took)));
  }
  context.diagnostic(`from a change to the last picture: ${times.join(", ")} ms`);
  const after = await pictures();
  after.forEach((picture, rank) => assert.notEqual(picture, before[rank], `picture ${rank}`));
  await page.getByLabel("inject a fault").fill("channels:node0=3");
  await page.getByLabel("inject a fault").press("Enter");
  await settled(page);
  await page.getByLabel(/^set a value/).fill("core.zen4.clock=2 GHz");
  await page.getByRole("button", { name: "set", exact: true }).click();
  await settled(page);
  const command = await commandOf(card(page, "bandwidth-matrix"));
  assert.equal(command, "zerohop run bandwidth-matrix --on sr665-v3 --set links=3 --set 'core.zen4.clock=2 GHz' --fault channels:node0=3 --solver flow");
  await assertProgramSaysTheSame(card(page, "bandwidth-matrix"));
  const { page: other, close: closeOther } = await explored("all.html", { fragment: new URL(page.url()).hash });
  assert.equal(await commandOf(card(other, "bandwidth-matrix")), command);
  assert.equal(await other.getByLabel("links", { exact: true }).inputValue(), "3");
  await closeOther();
  assert.deepEqual(odd, []);
  await close();
});

test("the first page has six stories, and leads back to them", async () => {
  const { page, odd, close } = await explored("all.html");
  assert.ok(await page.locator("#welcome").isVisible() && !await page.locator("#workbench").isVisible());
  await page.locator("button[data-story=lenovo-lp1852]").click();
  await settled(page);
  assert.match(await page.locator("#walk-part").innerText(), /Step 1 of 4/);
  await page.getByRole("button", { name: "next step" }).click();
  await settled(page);
  // The step is answered in one line, and by the comparison of its card.
  assert.match(await page.locator("#change").innerText(), /links=3[^]*bandwidth-matrix: remote [\d.]+ → [\d.]+ GB\/s, −\d+ %/);
  await page.getByRole("button", { name: "all stories" }).click();
  await settled(page);
  assert.ok(await page.locator("#welcome").isVisible());
  await page.getByLabel("machine", { exact: true }).selectOption("quartet");
  await settled(page);
  // What is asked of any machine: its steps depend on what the machine has.
  for (let step = 1; ; step += 1) {
    await page.locator("#walk-part", { hasText: `Step ${step} of 3.` }).waitFor();
    if (step === 3) break;
    await page.getByRole("button", { name: "next step" }).click();
    await settled(page);
    assert.equal(await page.locator(".refused, #refused li").count(), 0);
  }
  assert.match(await page.locator(".map").innerText(), /reads node 3/);
  assert.deepEqual(odd, []);
  await close();
});

test("what is invalid is said once, with what is possible, and all the rest goes on", async () => {
  const fragment = "#on=sr665-v3&set=links%3D3&set=width%3Dx5&set=foo&fault=channels%3Anode0%3D3&fault=link%3A0-9%3Ddown&run=hops";
  const { page, odd, close } = await explored("explore.html", { fragment });
  const refused = page.locator("#refused li");
  assert.equal(await refused.count(), 3);
  assert.match(await refused.nth(0).innerText(), /width=x5[^]*cannot be x5[^]*There are x16, x8, x4/);
  assert.match(await refused.nth(1).innerText(), /invalid setting foo/);
  assert.equal(await page.locator(".card .refused").count(), 0);
  // The good ones count, and stay in their lists.
  const command = "zerohop run hops --on sr665-v3 --set links=3 --fault channels:node0=3 --solver flow";
  assert.equal(await commandOf(card(page, "hops")), command);
  await assertProgramSaysTheSame(card(page, "hops"));
  assert.equal(await page.getByLabel("links", { exact: true }).inputValue(), "3");
  for (const name of ["remove value width=x5", "remove value foo", "remove fault link:0-9=down"]) {
    await page.getByRole("button", { name }).click();
    await settled(page);
  }
  assert.equal(await refused.count(), 0);
  assert.equal(await commandOf(card(page, "hops")), command);
  await page.getByRole("button", { name: "back to defaults" }).click();
  await settled(page);
  await assertProgramSaysTheSame(card(page, "hops"));
  await page.getByLabel("run, with options").fill("hopps");
  await page.getByRole("button", { name: "run", exact: true }).click();
  await settled(page);
  assert.match(await card(page, "hopps").innerText(), /no experiment hopps[^]*Did you mean hops/);
  await page.getByRole("button", { name: "remove hopps" }).click();
  await settled(page);
  assert.equal(await page.locator("#answers .card").count(), 1);
  assert.deepEqual(odd, []);
  await close();
});

test("a fault is in the drawing and in the command of the machine", async () => {
  const { page, odd, close } = await explored("explore.html", { fragment: "#on=quartet&fault=link%3A0-1%3Ddown&fault=slow-dimm%3Anode2%3D200&run=hops" });
  const machine = page.locator(".card[data-command=machine]");
  assert.equal(await commandOf(machine), "zerohop machine show quartet --fault link:0-1=down --fault slow-dimm:node2=200");
  run(...words(await commandOf(machine)).slice(1));
  assert.match(await machine.locator(".map").innerText(), /slow: 200 MT\/s[^]*down[^]*Injected: link:0-1=down, slow-dimm:node2=200/);
  assert.deepEqual(odd, []);
  await close();
});

for (const [width, height] of [[1440, 900], [390, 800]]) {
  test(`at ${width} pixels the answer to a change is in sight, and letters of the drawing have 11 pixels or more`, async () => {
    const { page, odd, close } = await explored("explore.html", { viewport: { width, height } });
    await page.getByLabel("links", { exact: true }).selectOption("3");
    await settled(page);
    const change = page.locator("#change");
    assert.match(await change.innerText(), /links=3[^]*remote/);
    const { y } = await change.boundingBox();
    assert.ok(y >= 0 && y < height, `the line is at ${y}`);
    const smallest = await page.locator(".map svg").evaluate((svg) => Math.min(...[...svg.querySelectorAll("text")].map((text) =>
      Number.parseFloat(text.getAttribute("font-size")) * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width)));
    assert.ok(smallest >= 11, `${smallest} pixels`);
    const [drawing, answers] = [await page.locator(".map").boundingBox(), await page.locator("#answers").boundingBox()];
    if (width >= 1100) assert.ok(answers.x >= drawing.x + drawing.width && answers.y < height, "side by side");
    else assert.ok(await page.locator("#change-here").isVisible(), "below the control");
    assert.deepEqual(odd, []);
    await close();
  });
}

test("events are simulated on request, with progress, and can be cancelled", async () => {
  const { page, odd, close } = await explored("explore.html", { fragment: "#on=quartet&run=hops&run=memory-suite" });
  const hops = card(page, "hops");
  await hops.getByRole("button", { name: "simulate events" }).click();
  await hops.locator("p.command code", { hasNotText: "--solver" }).waitFor({ timeout: 120_000 });
  assert.equal(await commandOf(hops), "zerohop run hops --on quartet");
  await assertProgramSaysTheSame(hops);
  const suite = card(page, "memory-suite");
  await suite.getByRole("button", { name: "simulate events" }).click();
  // A short one is over before anybody could see how far it is.
  await suite.getByText(/\d+ of \d+ measurements/).waitFor();
  await suite.getByRole("button", { name: "cancel" }).click();
  assert.equal(await suite.getAttribute("aria-busy"), "false");
  assert.match(await commandOf(suite), /--solver flow$/);
  assert.deepEqual(odd, []);
  await close();
});

test("threads are placed by hand, under a load, and the drawing has the load of the links", async () => {
  const { page, odd, close } = await explored("explore.html", { fragment: "#on=quartet&run=hops" });
  const add = page.getByRole("button", { name: "add a thread" });
  for (const _ of [1, 2]) {
    await add.click();
    await settled(page);
  }
  await page.getByLabel("node of thread 2").selectOption("1");
  await settled(page);
  await page.getByLabel("memory of thread 2").selectOption("0");
  await settled(page);
  await page.getByLabel("mode of thread 2").selectOption("w");
  await settled(page);
  const placed = () => page.locator(".card[data-run^=crossfire]");
  assert.equal(await commandOf(placed()), "zerohop run crossfire --case '0.0.r.3 1.0.w.0' --detail --on quartet --solver flow");
  await assertProgramSaysTheSame(placed());
  assert.equal(await placed().locator("figure.picture").count(), 2);
  assert.match(await page.locator(".map").innerText(), /reads node 3[^]*writes node 0/);
  assert.match(await page.locator(".map").innerText(), /3\.40 · 85 %/);
  await page.getByLabel("background threads").selectOption("full");
  await settled(page);
  assert.match(await commandOf(placed()), /--background low --subscription full --detail/);
  await assertProgramSaysTheSame(placed());
  for (const which of ["2", "1"]) {
    await page.getByRole("button", { name: `remove thread ${which}` }).click();
    await settled(page);
  }
  assert.equal(await placed().count(), 0);
  assert.deepEqual(odd, []);
  await close();
});

test("a drag from node to node places a thread", async () => {
  const { page, odd, close } = await explored("explore.html", { fragment: "#on=quartet&run=hops" });
  const drag = async (from, to) => {
    const middle = async (node) => {
      const { x, y, width, height } = await page.locator(".card[data-command=machine] svg text", { hasText: new RegExp(`^node ${node}$`) }).first().boundingBox();
      return [x + width / 2, y + height / 2];
    };
    await page.mouse.move(...await middle(from));
    await page.mouse.down();
    const [x, y] = await middle(to);
    await page.mouse.move(x + 3, y + 12, { steps: 4 });
    await page.mouse.up();
    await settled(page);
  };
  await drag(0, 2);
  await page.keyboard.down("Shift");
  await drag(1, 1);
  await page.keyboard.up("Shift");
  const placed = page.locator(".card[data-run^=crossfire]");
  assert.equal(await commandOf(placed), "zerohop run crossfire --case '0.0.r.2 1.0.w.1' --detail --on quartet --solver flow");
  await assertProgramSaysTheSame(placed);
  // A click places nothing.
  await page.locator(".card[data-command=machine] svg text", { hasText: /^node 3$/ }).first().click();
  assert.match(await commandOf(placed), /'0.0.r.2 1.0.w.1'/);
  assert.deepEqual(odd, []);
  await close();
});

test("two machines are compared as the program compares them", async () => {
  const { page, odd, close } = await explored("explore.html", { fragment: "#on=sr665-v3&run=bandwidth-matrix" });
  await page.getByRole("button", { name: "compare with this one" }).click();
  await page.getByLabel("links", { exact: true }).selectOption("3");
  await settled(page);
  const one = card(page, "bandwidth-matrix");
  const commands = await one.locator(".compared p.command code").allTextContents();
  assert.equal(commands.length, 3);
  assert.match(await one.locator(".compared").innerText(), /compared with sr665-v3[^]*remote [\d.]+ → [\d.]+ GB\/s, −\d+ %/);
  assert.ok((await one.locator(".compared > .scroll tbody tr").count()) <= 10);
  const { height } = await one.boundingBox();
  assert.ok(height < 1500, `${height} pixels`);
  run(...words(commands[0]).slice(1));
  run(...words(commands[1]).slice(1));
  const json = await one.evaluate((section) => section.zerohopComparison);
  assert.equal(json.trimEnd(), run(...words(commands[2]).slice(1), "--format", "json").trimEnd());
  await page.getByRole("button", { name: "compare no longer" }).click();
  await settled(page);
  assert.equal(await one.locator(".compared").count(), 0);
  assert.deepEqual(odd, []);
  await close();
});

const STUDIES = { "amd-40555": 5, "clpeak-opteron-6274": 3, "lenovo-lp1852": 4, "ibm-cloud-collapse": 3, "mccalpin-knl": 3 };
for (const [study, steps] of Object.entries(STUDIES)) {
  test(`${study}: every step of its walk has its documents, and its figures stand beside the model's`, async () => {
    const { page, odd, close } = await explored("all.html", { bypassCSP: true });
    await page.locator(`button[data-story=${study}]`).click();
    for (let step = 1; step <= steps; step += 1) {
      await page.locator("#walk-part", { hasText: `Step ${step} of ${steps}.` }).waitFor();
      await settled(page);
      assert.equal(await page.locator(".card .refused").count(), 0);
      for (const one of await page.locator(".card[data-command=run]").all()) await assertProgramSaysTheSame(one);
      if (step < steps) await page.getByRole("button", { name: "next step" }).click();
    }
    await assertAxeFindsNothing(page);
    await page.getByRole("button", { name: "the document's figures beside the model's" }).click();
    await page.waitForFunction(() => document.querySelector(".figures").zerohopJson, null, { timeout: 120_000 });
    const json = await page.evaluate(() => document.querySelector(".figures").zerohopJson);
    let printed;
    try {
      printed = run("reproduce", study, "--solver", "auto", "--format", "json");
    } catch (error) {
      // 3: the interval of a value contains the edge of its tolerance.
      assert.equal(error.status, 3);
      printed = error.stdout;
    }
    assert.equal(json.trimEnd(), printed.trimEnd());
    assert.deepEqual(odd, []);
    await close();
  });
}

test("the machine of a result is the page's", async () => {
  run("run", "hops", "--on", "quartet", "--set", "node_interleaving=on", "--fault", "channels:node0=1", "--solver", "flow", "-o", "hops.json");
  run("explore", "hops.json", "-o", "of-result.html");
  const { page, odd, close } = await explored("of-result.html");
  assert.match(await commandOf(card(page, "latency-matrix")), /--on quartet --set node_interleaving=on --fault channels:node0=1/);
  await assertProgramSaysTheSame(card(page, "latency-matrix"));
  assert.deepEqual(odd, []);
  await close();
});

// The comparison of a card with a result, held to what the program prints for its commands.
async function assertComparedWithResult(one) {
  const commands = await one.locator(".compared p.command code").allTextContents();
  assert.equal(commands.length, 2);
  for (const command of commands) assert.match(command, /^zerohop (run|compare) /);
  run(...words(commands[0]).slice(1));
  const json = await one.evaluate((section) => section.zerohopComparison);
  assert.equal(json.trimEnd(), run(...words(commands[1]).slice(1), "--format", "json").trimEnd());
}

test("a result stands beside what the model says, and is compared as the program compares them", async () => {
  run("run", "latency-matrix", "--on", "sr665-v3", "--set", "links=3", "-o", "before.json");
  run("explore", "before.json", "--machine", "sr665-v3", "-o", "beside.html");
  const { page, odd, close } = await explored("beside.html");
  // What the result has not is not asked for.
  assert.deepEqual(await page.locator(".card[data-command=run]").evaluateAll((all) => all.map(({ dataset }) => dataset.run)), ["latency-matrix"]);
  assert.match(await page.locator("header").first().innerText(), /beside the result before.json/);
  const one = card(page, "latency-matrix");
  assert.match(await one.locator(".base").textContent(), /the result before.json/);
  assert.equal(await one.locator(".base svg").count(), 1);
  await assertComparedWithResult(one);
  await page.getByLabel("links", { exact: true }).selectOption("3");
  await settled(page);
  await assertComparedWithResult(one);

  const address = await page.evaluate(() => location.hash);
  assert.match(address, /base=result/);
  const again = await explored("beside.html", { fragment: address });
  await assertComparedWithResult(card(again.page, "latency-matrix"));
  await again.close();

  await page.getByRole("button", { name: "compare no longer" }).click();
  await settled(page);
  assert.equal(await one.locator(".compared").count(), 0);
  await page.getByRole("button", { name: "compare with the result" }).click();
  await settled(page);
  await page.getByLabel("run, with options").fill("bandwidth-matrix");
  await page.getByRole("button", { name: "run", exact: true }).click();
  await settled(page);
  assert.match(await card(page, "bandwidth-matrix").getByRole("status").innerText(), /not compared: these results have no value in common/);
  assert.match(run("show", "beside.html"), /model of sr665-v3/);
  assert.deepEqual(odd, []);
  await close();
});

test("the explorer is a tab of a report, which begins when it is opened", async () => {
  run("run", "latency-matrix", "--on", "quartet", "-o", "now.json");
  run("report", "now.json", "--machine", "quartet", "--explorer", "-o", "tab.html");
  const allowed = (address) => address.startsWith("blob:null/");
  const { page, odd, close } = await open("tab.html", { allowed, bypassCSP: true });
  const [report, explorer] = [page.locator("main:not(.explorer)"), page.locator("main.explorer")];
  assert.ok(await report.isVisible() && !await explorer.isVisible());
  assert.equal(await page.evaluate(() => document.documentElement.dataset.answers), undefined);
  await assertAxeFindsNothing(page);
  await page.getByRole("button", { name: "explorer: what if?" }).click();
  await page.waitForFunction(() => document.documentElement.dataset.answers !== undefined);
  assert.ok(await explorer.isVisible() && !await report.isVisible());
  await assertComparedWithResult(card(page, "latency-matrix"));
  await assertAxeFindsNothing(page);
  await assertFits(page, 1280);
  const ids = await page.evaluate(() => [...document.querySelectorAll("[id]")].map(({ id }) => id));
  assert.equal(new Set(ids).size, ids.length, "no name is given twice");
  await page.getByRole("button", { name: "report", exact: true }).click();
  assert.ok(await report.isVisible());
  assert.deepEqual(odd, []);
  await close();

  // Its own policy lets it run; a link of the explorer opens the tab; the report is a RESULT.
  const strict = await explored("tab.html", { fragment: "#on=quartet&run=hops" });
  await assertProgramSaysTheSame(card(strict.page, "hops"));
  assert.deepEqual(strict.odd, []);
  await strict.close();
  const plain = await open("tab.html", { javaScriptEnabled: false });
  assert.ok(await plain.page.locator("main:not(.explorer)").isVisible());
  assert.ok(!await plain.page.locator("main.explorer").isVisible() && !await plain.page.locator("#tabs").isVisible());
  await plain.close();
  assert.match(run("show", "tab.html"), /model of quartet/);
});

test("a machine file travels in the page", async () => {
  writeFileSync(path("mine.toml"), run("machine", "export", "quartet", "--format", "toml"));
  run("explore", "./mine.toml", "--set", "node_interleaving=on", "-o", "mine.html");
  const { page, odd, close } = await explored("mine.html");
  assert.match(await commandOf(card(page, "latency-matrix")), /--on .\/mine.toml --set node_interleaving=on/);
  await assertProgramSaysTheSame(card(page, "latency-matrix"));
  assert.deepEqual(odd, []);
  await close();
});

test("the keyboard reaches every control", async () => {
  const { page, close } = await explored("explore.html");
  const which = ":is(select, input, button, summary, .scroll):not(:disabled)";
  const wanted = await page.evaluate((which) => [...document.querySelectorAll(which)].filter((one) => one.checkVisibility()).length, which);
  const reached = new Set();
  for (let step = 0; step < wanted + 5; step += 1) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate((which) => [...document.querySelectorAll(which)].indexOf(document.activeElement), which));
  }
  reached.delete(-1);
  assert.equal(reached.size, wanted);
  await close();
});

test("the page is small enough to send", () => {
  assert.ok(readFileSync(path("explore.html")).length < 6e6);
});
