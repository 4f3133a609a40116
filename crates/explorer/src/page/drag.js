"use strict";
// From node to node on the drawing of the machine: a thread of the first, with its data on the second. The list of threads does the same by keyboard.
const zerohopDrag = (() => {
  const TITLE = /^(?:node|.* \(node) (\d+)\)?$/;
  // A shorter way is a click.
  const LEAST = 8;
  const DRAWING = '.card[data-command="machine"] .map svg';

  // The boxes of nodes: the smallest frame around the title of each.
  const boxes = (svg) => {
    const frames = [...svg.querySelectorAll("rect")].map((rect) => rect.getBoundingClientRect());
    const around = ({ left, top, right, bottom }) => (frame) =>
      frame.left <= left && frame.top <= top && frame.right >= right && frame.bottom >= bottom;
    return [...svg.querySelectorAll("text")].flatMap((text) => {
      const [, node] = text.textContent.match(TITLE) ?? [];
      if (node === undefined) return [];
      const holding = frames.filter(around(text.getBoundingClientRect()));
      const [frame] = holding.sort((one, other) => one.width * one.height - other.width * other.height);
      return frame ? [{ node, frame }] : [];
    });
  };
  const nodeAt = (all, { clientX: x, clientY: y }) =>
    all.find(({ frame }) => frame.left <= x && x <= frame.right && frame.top <= y && y <= frame.bottom)?.node;

  const inSvg = (svg, { clientX, clientY }) => new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM().inverse());

  const begin = (event, add) => {
    const svg = event.target.closest?.(DRAWING);
    if (!svg || event.button !== 0 || event.pointerType === "touch") return;
    const all = boxes(svg);
    const from = nodeAt(all, event);
    if (from === undefined) return;
    event.preventDefault();
    const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
    const start = inSvg(svg, event);
    for (const [name, value] of Object.entries({ x1: start.x, y1: start.y, x2: start.x, y2: start.y, class: "drag" })) line.setAttribute(name, value);
    svg.append(line);
    const move = (now) => {
      const end = inSvg(svg, now);
      line.setAttribute("x2", end.x);
      line.setAttribute("y2", end.y);
    };
    const finish = (now) => {
      for (const [name, act] of acts) document.removeEventListener(name, act);
      line.remove();
      const far = Math.hypot(now.clientX - event.clientX, now.clientY - event.clientY) >= LEAST;
      const to = nodeAt(all, now);
      if (now.type === "pointerup" && far && to !== undefined) add(from, to, now.shiftKey ? "w" : "r");
    };
    const acts = [["pointermove", move], ["pointerup", finish], ["pointercancel", finish]];
    for (const [name, act] of acts) document.addEventListener(name, act);
  };

  return { ready: (add) => document.getElementById("drawing").addEventListener("pointerdown", (event) => begin(event, add)) };
})();
