// Pages that zerohop writes, opened in Debian's Chromium by playwright-core. `ZEROHOP` names the program (default: the release in target/),
// `CHROMIUM` the browser. A test that lacks either fails.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const zerohop = process.env.ZEROHOP ?? fileURLToPath(new URL("../target/x86_64-unknown-linux-musl/dist/zerohop", import.meta.url));
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "zerohop-web-"));
export const path = (name) => join(folder, name);
export const run = (...words) => execFileSync(zerohop, ["--quiet", ...words], { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28 });

// A result of all pairs of so many cores, made of one of a few pairs.
export function allPairs(name, cores) {
  const result = JSON.parse(readFileSync(path(name), "utf8"));
  const { pus } = result.machine;
  const firsts = [...new Map(pus.toReversed().map((pu) => [pu.core, pu])).values()].sort((one, other) => one.id - other.id).slice(0, cores);
  const [experiment] = result.experiments;
  const pair = experiment.cells.find(({ at }) => "from" in at);
  experiment.cells = experiment.cells.filter(({ at }) => !("from" in at));
  firsts.forEach((one, rank) => firsts.slice(rank + 1).forEach((other) => {
    const value = (one.package === other.package ? 40 : 180) + ((one.id * 7 + other.id * 3) % 97) / 8;
    const estimate = Object.fromEntries(Object.keys(pair.estimate).map((key) => [key, key === "standard_deviation" ? 0 : value]));
    experiment.cells.push({ ...pair, at: { from: one.id, to: other.id }, estimate, samples: [value] });
  }));
  return result;
}

let browser;
export async function launch() {
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  browser = await chromium.launch({ executablePath, args: process.getuid() === 0 ? ["--no-sandbox"] : [] });
}

export async function close() {
  await browser?.close();
  rmSync(folder, { recursive: true });
}

// A server of an archive in the folder: its address, and a function that ends it.
export async function serve(archive, ...more) {
  const server = spawn(zerohop, ["serve", "--archive", archive, "--listen", "127.0.0.1:0", ...more], { cwd: folder });
  const ended = new Promise((resolve) => server.on("exit", resolve));
  const address = await new Promise((resolve, reject) => {
    // Of a new archive, it says that first.
    let said = "";
    server.stderr.on("data", (text) => {
      said += text;
      const found = said.match(/http:\S+/);
      if (found) resolve(found[0]);
    });
    server.on("exit", () => reject(new Error(said)));
  });
  return { address, end: () => { server.kill("SIGTERM"); return ended; } };
}

// A page that was opened, and all that it complained of or asked for. Only a page with a worker has a blob of its own.
export async function open(name, { fragment = "", allowed = () => false, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const odd = [];
  const address = name.startsWith("http") ? name : pathToFileURL(path(name)).href;
  page.on("console", (message) => odd.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => odd.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => odd.push(`dialog: ${dialog.message()}`));
  page.on("request", (request) => {
    const asked = request.url();
    if (asked.replace(/#.*/, "") !== address && !allowed(asked)) odd.push(`request: ${asked}`);
  });
  await page.goto(address + fragment);
  return { page, odd, close: () => context.close() };
}

// The page must be open with `bypassCSP`: its own policy lets no other script in, not even that of a test.
export async function assertAxeFindsNothing(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 200)}`), []);
}

export async function assertFits(page, width) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `${wide} pixels too wide at ${width}`);
}
