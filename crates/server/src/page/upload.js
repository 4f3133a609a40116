"use strict";
// Sends files that are dropped or chosen, one after the other, and says what became of each.
(() => {
  const area = document.getElementById("upload");
  if (!area) return;
  const machine = document.getElementById("upload-machine");
  const outcome = document.getElementById("upload-outcome");
  const say = (words) => {
    const item = document.createElement("li");
    item.textContent = words;
    outcome.append(item);
  };
  const send = async (file) => {
    const query = new URLSearchParams({ name: file.name });
    if (machine.value.trim()) query.set("machine", machine.value.trim());
    try {
      const response = await fetch(`/api/v1/results?${query}`, { method: "POST", body: file });
      const answer = await response.json();
      if (!response.ok) return say(`${file.name}: ${answer.error}${answer.hint ? ` (${answer.hint})` : ""}`);
      for (const one of answer.results) {
        const stays = one.stays_with ? `; it was there, and stays with ${one.stays_with}` : "";
        say(`${one.name}: ${one.outcome}, ${one.id}${stays}`);
      }
    } catch (error) {
      say(`${file.name}: not sent: ${error.message}`);
    }
  };
  const all = async (files) => {
    for (const file of files) await send(file);
  };
  const over = (is) => (event) => {
    event.preventDefault();
    area.classList.toggle("over", is);
  };
  area.addEventListener("dragover", over(true));
  area.addEventListener("dragleave", over(false));
  area.addEventListener("drop", (event) => {
    over(false)(event);
    all([...event.dataTransfer.files]);
  });
  document.getElementById("upload-files").addEventListener("change", (event) => {
    all([...event.target.files]);
    event.target.value = "";
  });
})();
