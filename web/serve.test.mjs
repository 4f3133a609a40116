// The pages of `zerohop serve` in a real browser; pages.mjs says which.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { assertAxeFindsNothing, assertFits, close as closeAll, launch, open, path, run, serve } from "./pages.mjs";

const MLC = "Intel(R) Memory Latency Checker - v3.9\nMeasuring idle latencies (in ns)...\n\t\tNuma node\nNuma node\t     0\t     1\n       0\t  80.0\t 140.0\n       1\t 140.0\t  80.0\n";
const TOKEN = "a-token-for-the-browser-test";
let server;

before(async () => {
  run("survey", "--on", "quartet", "--solver", "flow", "-o", "one", "--archive=a.sqlite");
  run("survey", "--on", "quartet", "--solver", "flow", "--fault", "link:0-1=x4", "-o", "two", "--archive=a.sqlite");
  writeFileSync(path("mlc.txt"), MLC);
  writeFileSync(path("token"), TOKEN, { mode: 0o600 });
  server = await serve("a.sqlite");
  await launch();
});

after(async () => {
  assert.equal(await server.end(), 0);
  await closeAll();
});

// Requests to the server itself are fine, others are not.
const visit = (target, options = {}) => open(server.address + target, { allowed: (asked) => asked.startsWith(server.address), ...options });

for (const target of ["/", "/results", "/history?machine=quartet+(model)", "/changes", "/findings", "/fleet", "/compare?id=quartet+(model)"]) {
  test(`${target}: nothing fails, nothing leaves the server, axe finds nothing, and it fits 360 pixels`, async () => {
    const { page, odd, close } = await visit(target, { bypassCSP: true, viewport: { width: 360, height: 800 } });
    await assertFits(page, 360);
    await assertAxeFindsNothing(page);
    assert.deepEqual(odd, []);
    await close();
  });
}

test("links lead from machines to a result, and boxes to a comparison, under the page's own policy", async () => {
  const { page, odd, close } = await visit("/");
  await page.getByRole("link", { name: "quartet (model)" }).click();
  assert.match(await page.locator("h1").innerText(), /quartet \(model\)/);
  await page.getByRole("link", { name: "all results" }).click();
  const boxes = page.getByRole("checkbox");
  assert.equal(await boxes.count(), 2);
  const compare = page.getByRole("button", { name: "compare selected results" });
  assert.ok(await compare.isDisabled());
  await boxes.nth(0).check();
  assert.ok(await compare.isDisabled());
  await boxes.nth(1).check();
  await compare.click();
  assert.match(page.url(), /\/compare\?order=time&id=[-0-9a-f]+&id=/);
  assert.match(await page.locator("main").innerText(), /compared with quartet \(model\)/);
  await page.goBack();
  await page.locator("table a[href^='/results/']").first().click();
  assert.match(await page.locator("main").innerText(), /every value/);
  await page.locator(".context").getByRole("link", { name: "quartet (model)" }).click();
  assert.match(page.url(), /\/history\?machine=/);
  assert.deepEqual(odd, []);
  await close();
});

test("dots of a chart say their value, and two of them are compared", async () => {
  const { page, odd, close } = await visit("/history?machine=quartet+(model)");
  const chart = page.locator("figure.chart").first();
  const dots = chart.locator("a.point");
  assert.equal(await dots.count(), 2);
  assert.match(await dots.first().locator("title").textContent(), /^[\d.]+ (ns|GB\/s).*, \d{4}-\d\d-\d\d \d\d:\d\d/);
  const compare = page.getByRole("button", { name: "compare selected results" });
  await dots.nth(0).locator("circle").click({ force: true });
  assert.equal(await page.getByRole("checkbox", { checked: true }).count(), 1);
  assert.ok(await compare.isDisabled());
  assert.match(await page.getByRole("link", { name: "open it" }).getAttribute("href"), /^\/results\/[-0-9a-f]+$/);
  await page.getByRole("checkbox", { checked: false }).check();
  assert.equal(await chart.locator("a.picked").count(), 2);
  await compare.click();
  assert.match(await page.locator("main").innerText(), /compared with quartet/);
  assert.deepEqual(odd, []);
  await close();
});

test("a filter is in the address, and works without scripts", async () => {
  const { page, close } = await visit("/", { javaScriptEnabled: false });
  await page.getByLabel("name contains").fill("nobody");
  await page.getByRole("button", { name: "show" }).click();
  assert.match(page.url(), /name=nobody/);
  assert.match(await page.locator("main").innerText(), /No machine is like that/);
  await page.getByRole("link", { name: "Show all machines" }).click();
  assert.ok(await page.getByRole("link", { name: "quartet (model)" }).isVisible());
  await close();
});

test("a page that is visited again looks and works as at the first visit", async () => {
  const { page, odd, close } = await visit("/");
  const look = () => page.evaluate(() => ["body", "main", "table", "h1"].map((part) => {
    const style = getComputedStyle(document.querySelector(part));
    return [style.fontFamily, style.fontSize, style.margin, style.maxWidth, style.color];
  }));
  const first = await look();
  for (const again of [() => page.goto(server.address + "/results"), () => page.goto(server.address + "/"), () => page.reload()]) await again();
  assert.deepEqual(await look(), first);
  assert.deepEqual(odd, []);
  await close();
});

test("files are added by choice and by dropping them, and the page says what is missing", async () => {
  const { page, odd, close } = await visit("/");
  const outcome = page.locator("#upload-outcome li");
  await page.locator("#upload-files").setInputFiles(path("mlc.txt"));
  await outcome.filter({ hasText: "send it again" }).waitFor();
  // The words are those of the form.
  assert.match(await outcome.first().innerText(), /does not name its machine.*Type its name into the box “machine”, and send it again/);
  assert.ok(await page.locator("#upload-machine").evaluate((box) => box === document.activeElement));
  // The browser itself reports the refusal.
  assert.match(odd.splice(0).join(), /400/);
  await page.locator("#upload-machine").fill("node-07");
  await page.getByRole("button", { name: "send again" }).click();
  await outcome.filter({ hasText: "mlc.txt: added" }).waitFor();
  assert.equal(await outcome.count(), 1);
  assert.match(await page.getByRole("link", { name: "show it" }).getAttribute("href"), /^\/results\/[0-9a-f-]{36}$/);
  // The list has it without another visit.
  await page.locator("#list").getByRole("link", { name: "node-07" }).waitFor();
  await page.locator("#upload-machine").fill("");
  const text = readFileSync(path("one/result.json"), "utf8");
  await page.evaluate((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], "result.json"));
    document.getElementById("upload").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  }, text);
  await outcome.filter({ hasText: "result.json: the archive has it already" }).waitFor();
  // Values of some properties are longer than any page is wide.
  await page.reload();
  await page.getByText("filter by hardware and settings").click();
  await page.setViewportSize({ width: 360, height: 800 });
  await assertFits(page, 360);
  assert.deepEqual(odd, []);
  await close();
});

test("an empty archive says what to do first, and fills while one looks at it", async () => {
  const empty = await serve("empty.sqlite");
  const { page, odd, close } = await open(empty.address, { allowed: (asked) => asked.startsWith(empty.address) });
  assert.match(await page.locator("main").innerText(), /This archive is empty[\s\S]*zerohop survey/);
  await page.locator("#upload-files").setInputFiles(path("one/result.json"));
  await page.getByRole("link", { name: "show it" }).click();
  assert.match(await page.locator("main").innerText(), /every value/);
  assert.deepEqual(odd, []);
  await close();
  assert.equal(await empty.end(), 0);
});

test("an error is a page with a way back", async () => {
  const { page, odd, close } = await visit("/results?since=yesterday", { bypassCSP: true, viewport: { width: 360, height: 800 } });
  odd.length = 0;
  await assertFits(page, 360);
  await assertAxeFindsNothing(page);
  await page.getByRole("link", { name: "All results" }).click();
  assert.equal(await page.getByRole("checkbox").count() > 0, true);
  await close();
});

test("a token is asked for once, and a cookie that scripts cannot read stands for it", async () => {
  const closed = await serve("a.sqlite", "--token-file", "token", "--read-only");
  const { page, odd, close } = await open(`${closed.address}/results?limit=1`, { allowed: (asked) => asked.startsWith(closed.address) });
  odd.length = 0;
  await page.getByLabel("token").fill("not the token at all");
  await page.getByRole("button", { name: "log in" }).click();
  assert.match(await page.locator("main").innerText(), /wrong token/);
  await page.getByLabel("token").fill(TOKEN);
  await page.getByRole("button", { name: "log in" }).click();
  // The page that was asked for, and not the first one.
  assert.match(page.url(), /\/results\?limit=1$/);
  assert.match(await page.locator("h1").innerText(), /Results/);
  assert.equal(await page.locator("#upload").count(), 0);
  assert.equal(await page.evaluate(() => document.cookie), "");
  await page.getByRole("button", { name: "log out" }).click();
  await page.getByLabel("token").waitFor();
  await close();
  assert.equal(await closed.end(), 0);
});
