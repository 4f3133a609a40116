// Prints how long frames of a zoomed map of 384 x 384 cores take: `node frames.mjs`.
import { writeFileSync } from "node:fs";
import { allPairs, close, launch, open, path, run } from "./pages.mjs";

run("run", "core-to-core", "--full", "--on", "epyc-9005,sockets=2,cores=192", "-o", "pairs.json");
writeFileSync(path("cores.json"), JSON.stringify(allPairs("pairs.json", 384)));
run("show", "cores.json", "-o", "cores.html");
await launch();
for (const [viewport, words] of [[{ width: 1280, height: 900 }, "1280 x 900"], [{ width: 3840, height: 2160 }, "4K"]]) {
  const began = performance.now();
  const { page, close: closePage } = await open("cores.html", { viewport });
  const opened = performance.now() - began;
  await page.getByRole("button", { name: /^zoom: core-to-core latency/ }).click();
  const measure = (deltaY) => page.evaluate(async (deltaY) => {
    const canvas = document.querySelector(".zoom canvas");
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const times = [];
    let before = await frame();
    for (let step = 0; step < 120; step += 1) {
      canvas.dispatchEvent(new WheelEvent("wheel", { deltaY, clientX: canvas.getBoundingClientRect().x + 300, clientY: canvas.getBoundingClientRect().y + 300 }));
      const now = await frame();
      times.push(now - before);
      before = now;
    }
    return times.sort((one, other) => one - other);
  }, deltaY);
  console.log(`${words}: opened in ${opened.toFixed(0)} ms`);
  for (const [what, deltaY] of [["zooming in", -12], ["zooming out", 12]]) {
    const times = await measure(deltaY);
    console.log(`  ${what}: median ${times[60].toFixed(1)} ms, 95 % below ${times[113].toFixed(1)} ms, longest ${times.at(-1).toFixed(1)} ms`);
  }
  await closePage();
}
await close();
