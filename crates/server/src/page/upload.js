"use strict";
// Sends files that are dropped or chosen, one after the other, and says what becomes of each.
(() => {
  const area = document.getElementById("upload");
  if (!area) return;
  const machine = document.getElementById("upload-machine");
  const outcome = document.getElementById("upload-outcome");
  const OUTCOMES = {
    added: "added",
    known: "the archive has it already",
    replaced: "replaced a result that was not finished",
    repaired: "repaired a damaged text",
    left_out: "left out: the archive has another result with this id",
  };
  const element = (name, words, properties = {}) => Object.assign(document.createElement(name), { textContent: words }, properties);
  const asked = (file, progress) => new Promise((resolve, reject) => {
    const query = new URLSearchParams({ name: file.name });
    if (machine.value.trim()) query.set("machine", machine.value.trim());
    const request = new XMLHttpRequest();
    request.open("POST", `/api/v1/results?${query}`);
    request.responseType = "json";
    request.upload.addEventListener("progress", ({ loaded, total }) => { progress.max = total; progress.value = loaded; });
    request.upload.addEventListener("load", () => progress.removeAttribute("value"));
    request.addEventListener("load", () => resolve(request));
    request.addEventListener("error", () => reject(new Error("the server did not answer")));
    request.send(file);
  });
  const send = async (file) => {
    const item = element("li", `${file.name} `);
    const progress = element("progress", "");
    progress.setAttribute("aria-label", `sending ${file.name}`);
    item.append(progress);
    outcome.prepend(item);
    const failed = (words) => {
      item.className = "failed";
      item.replaceChildren(`${file.name}: ${words} `);
      const again = element("button", "send again", { type: "button" });
      again.addEventListener("click", () => { item.remove(); all([file]); });
      item.append(again);
    };
    try {
      const { status, response: answer } = await asked(file, progress);
      if (!answer) return failed(`not added (status ${status})`);
      if (status >= 400) {
        const isOfMachine = answer.parameter === "machine";
        machine.closest(".of").classList.toggle("wanted", isOfMachine);
        if (!isOfMachine) return failed(`${answer.error}${answer.hint ? `: ${answer.hint}` : ""}`);
        const advice = machine.value.trim() ? "Correct the name in the box “machine”, or empty it" : "Type its name into the box “machine”";
        failed(`${answer.error}. ${advice}, and send it again.`);
        machine.focus();
        return;
      }
      machine.closest(".of").classList.remove("wanted");
      item.replaceChildren();
      for (const one of answer.results) {
        const stays = one.stays_with ? `, and it stays with ${one.stays_with}` : "";
        const line = element("div", `${one.name}: ${OUTCOMES[one.outcome] ?? one.outcome}${stays}. `);
        line.append(element("a", "show it", { href: `/results/${one.id}` }));
        if (one.clock) line.append(` ${one.clock}`);
        item.append(line);
      }
      for (const remark of answer.remarks ?? []) item.append(element("div", remark, { className: "remark" }));
    } catch (error) {
      failed(`not sent: ${error.message}`);
    }
  };
  // The list of the page as the server has it now.
  const refresh = async () => {
    const list = document.getElementById("list");
    if (!list) return;
    const response = await fetch(location.href);
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const fresh = page.getElementById("list");
    if (response.ok && fresh) {
      list.replaceWith(fresh);
      document.dispatchEvent(new Event("zerohop-list"));
    }
  };
  const all = async (files) => {
    for (const file of files) await send(file);
    await refresh().catch(() => {});
  };
  // Files may be dropped anywhere on the page: the box comes to where it is seen.
  const isOfFiles = ({ dataTransfer }) => dataTransfer?.types.includes("Files");
  const over = (event, is) => {
    event.preventDefault();
    area.classList.toggle("over", is);
  };
  document.addEventListener("dragover", (event) => { if (isOfFiles(event)) over(event, true); });
  document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) over(event, false); });
  document.addEventListener("drop", (event) => {
    if (!isOfFiles(event)) return;
    over(event, false);
    all([...event.dataTransfer.files]);
    area.scrollIntoView({ block: "nearest" });
  });
  document.getElementById("upload-files").addEventListener("change", (event) => {
    all([...event.target.files]);
    event.target.value = "";
  });
})();
