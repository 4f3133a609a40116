"use strict";
// Two or more results can be compared: the button says how many are picked, and a click on a dot of a chart picks its result.
(() => {
  const form = document.getElementById("picked");
  if (!form) return;
  const button = form.querySelector("button");
  const words = form.querySelector("span");
  const open = form.querySelector("a");
  const boxes = () => [...document.querySelectorAll('input[type="checkbox"][form="picked"]')];
  const show = () => {
    const picked = boxes().filter((box) => box.checked);
    button.disabled = picked.length < 2;
    words.textContent = picked.length ? `${picked.length} selected` : "select two or more";
    form.classList.toggle("some", picked.length > 0);
    open.hidden = picked.length !== 1;
    if (picked.length === 1) open.href = `/results/${picked[0].value}`;
    const ids = new Set(picked.map((box) => box.value));
    document.querySelectorAll("a.point").forEach((point) => point.classList.toggle("picked", ids.has(point.dataset.result)));
  };
  // A dot of a result that no list on the page has gets a box of its own.
  const box = (id) => {
    const known = boxes().find((one) => one.value === id);
    if (known) return known;
    const made = document.createElement("input");
    Object.assign(made, { type: "checkbox", name: "id", value: id, hidden: true });
    made.setAttribute("form", "picked");
    form.append(made);
    return made;
  };
  document.addEventListener("change", show);
  document.addEventListener("click", (event) => {
    const point = event.target.closest?.("a.point");
    // Whoever opens a link elsewhere wants the page behind it.
    if (!point || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    const of = box(point.dataset.result);
    of.checked = !of.checked;
    show();
  });
  document.addEventListener("zerohop-list", show);
  // A browser that comes back keeps what was picked.
  addEventListener("pageshow", show);
  show();
})();
