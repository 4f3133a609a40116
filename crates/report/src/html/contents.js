// Where a reader is among the sections. A link opens the section that it leads into; printing opens those of a ticket.
(() => {
  const bar = document.querySelector("nav.contents");
  const reveal = () => {
    const target = location.hash ? document.getElementById(location.hash.slice(1)) : null;
    if (!target) return;
    if (target.matches("details")) target.open = true;
    for (let list = target.closest("details"); list; list = list.parentElement.closest("details")) list.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();
  addEventListener("beforeprint", () => document.querySelectorAll("details.ticket, .card details").forEach((list) => { list.open = true; }));
  if (!bar) return;
  const links = [...bar.querySelectorAll("a")];
  const heads = links.map((link) => document.querySelector(`[id="${link.hash.slice(1)}"]`));
  const mark = () => {
    const { top: stuck, bottom } = bar.getBoundingClientRect();
    const top = bottom + 60;
    const here = stuck > 1 ? 0 : heads.findLastIndex((head) => head && (head.closest("details")?.getBoundingClientRect() ?? head.getBoundingClientRect()).top <= top);
    links.forEach((link, rank) => {
      if (rank === Math.max(here, 0)) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    });
  };
  addEventListener("scroll", mark, { passive: true });
  addEventListener("resize", mark);
  mark();
})();
