// The values of a chart, one by one: by pointer, and by the arrow keys while the chart has the focus.
const zerohopChart = (figure) => {
  const plot = figure.querySelector(".plot");
  const marks = [...figure.querySelectorAll("g > title")].map((title) => {
    const mark = title.parentElement;
    mark.dataset.words = title.textContent;
    title.remove();
    return mark;
  });
  if (!marks.length) return;
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.setAttribute("role", "status");
  tip.hidden = true;
  figure.append(tip);
  let current = -1;
  const hide = () => {
    tip.hidden = true;
    figure.querySelector(".current")?.classList.remove("current");
  };
  const show = (mark) => {
    hide();
    mark.classList.add("current");
    tip.textContent = mark.dataset.words;
    tip.hidden = false;
    const [frame, place] = [figure.getBoundingClientRect(), mark.getBoundingClientRect()];
    const left = place.left - frame.left + place.width / 2 - tip.offsetWidth / 2;
    tip.style.left = `${Math.max(4, Math.min(left, frame.width - tip.offsetWidth - 4))}px`;
    const above = place.top - frame.top - tip.offsetHeight - 6;
    tip.style.top = `${above > 0 ? above : place.bottom - frame.top + 6}px`;
  };
  figure.addEventListener("pointerover", ({ target }) => {
    const mark = target.closest("[data-words]");
    if (mark) {
      current = marks.indexOf(mark);
      show(mark);
    } else hide();
  });
  figure.addEventListener("pointerleave", hide);
  plot.addEventListener("blur", hide);
  plot.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") hide();
    if (!step) return;
    event.preventDefault();
    current = (current + step + marks.length) % marks.length;
    show(marks[current]);
  });
};
