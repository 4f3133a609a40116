// Writes the pictures of docs/images/: `node images.mjs [FOLDER]`. All are of models, and say so.
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { close, launch, open, path, run } from "./pages.mjs";

const WIDTH = 1100;
const out = process.argv[2] ?? fileURLToPath(new URL("../docs/images", import.meta.url));
mkdirSync(out, { recursive: true });

// The top of a page, once it is ready.
async function picture(name, file, { height, ready = () => true, ...options }) {
  const { page, close: closePage } = await open(file, { viewport: { width: WIDTH, height: 900 }, ...options });
  await page.waitForFunction(ready);
  await page.screenshot({ path: join(out, name), fullPage: true, clip: { x: 0, y: 0, width: WIDTH, height } });
  await closePage();
}

run("survey", "--on", "cascade-lake-4s", "--solver", "auto", "--fault", "channels:node1=3", "-o", "sick");
run("explore", "cascade-lake-4s", "-o", "explore.html");
copyFileSync(path("sick/survey.svg"), join(out, "survey.svg"));
await launch();
await picture("report.png", "sick/report.html", { height: 960 });
await picture("explorer.png", "explore.html", {
  fragment: "#on=cascade-lake-4s&run=ramp",
  ready: () => document.documentElement.dataset.answers === location.hash,
  height: 960,
});
await close();
