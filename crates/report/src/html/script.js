// Everything is readable without this: it adds buttons that copy commands and save data, tables and pictures. A page that grows calls
// `zerohopButtons` with what it has added.
const zerohopButtons = (() => {
  const button = (words, act) => {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = words;
    made.addEventListener("click", () => act(made));
    return made;
  };
  const save = (name, kind, text) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: kind }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  const name = (document.title.match(/[\w.-]+/g) || ["zerohop"]).join("-").slice(0, 80);

  const copies = (command) => {
    const code = command.querySelector("code");
    command.append(button("copy", async (made) => {
      try {
        await navigator.clipboard.writeText(code.textContent);
        made.textContent = "copied";
      } catch {
        getSelection().selectAllChildren(code);
        made.textContent = "selected";
      }
    }));
  };

  // A spreadsheet evaluates what begins with one of these.
  const field = (text) => {
    const safe = /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
    return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const csv = (table) => [...table.rows]
    .map((row) => [...row.cells].map((cell) => field(cell.textContent.trim().replace(/\s+/g, " "))).join(","))
    .join("\r\n");

  const row = (...buttons) => {
    const made = document.createElement("div");
    made.className = "saves";
    made.append(...buttons);
    return made;
  };
  const saveJson = (words, file, text) => button(words, () => save(`${file}.json`, "application/json", text()));

  const savePng = (file, source) => {
    const image = new Image();
    image.addEventListener("load", () => {
      const canvas = document.createElement("canvas");
      // Twice as many pixels as units, as `-o FILE.png` has.
      [canvas.width, canvas.height] = [2 * image.width, 2 * image.height];
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((png) => save(`${file}.png`, "image/png", png));
    });
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(source)}`;
  };

  // A button that copies a text which is not in sight.
  const copiesText = (words, text) => button(words, async (made) => {
    try {
      await navigator.clipboard.writeText(text);
      made.textContent = "copied";
    } catch {
      save(`${name}.md`, "text/markdown", text);
      made.textContent = "saved";
    }
  });

  // A chart as a file of its own: with its title, on white paper.
  const alone = (figure) => {
    const svg = figure.querySelector("svg").cloneNode(true);
    const [width, height] = ["width", "height"].map((side) => Number(svg.getAttribute(side)));
    const make = (kind, given, words) => {
      const made = document.createElementNS("http://www.w3.org/2000/svg", kind);
      Object.entries(given).forEach(([key, value]) => made.setAttribute(key, value));
      if (words) made.textContent = words;
      return made;
    };
    const [head, margin] = [48, 16];
    const group = make("g", { transform: `translate(${margin} ${head})` });
    group.append(...svg.childNodes);
    const size = [width + 2 * margin, height + head + margin];
    svg.setAttribute("width", size[0]);
    svg.setAttribute("height", size[1]);
    svg.setAttribute("viewBox", `0 0 ${size[0]} ${size[1]}`);
    const title = figure.querySelector("figcaption strong").textContent;
    const aside = figure.querySelector("figcaption small")?.textContent;
    svg.append(make("rect", { width: size[0], height: size[1], fill: "#ffffff" }), make("text", { x: margin, y: 22, "font-size": 14.5, "font-weight": 600, fill: "#17212b" }, title));
    if (aside) svg.append(make("text", { x: margin, y: 38, "font-size": 11.5, fill: "#5b6875" }, aside));
    svg.append(group);
    return new XMLSerializer().serializeToString(svg);
  };

  const decorate = (root) => {
    root.querySelectorAll("p.command").forEach(copies);
    root.querySelectorAll("template.ticket").forEach((ticket) => {
      ticket.replaceWith(copiesText("copy as Markdown", ticket.content.textContent));
    });
    for (const figure of root.querySelectorAll("figure.drawing")) {
      zerohopChart(figure);
      const file = figure.querySelector("figcaption strong").textContent.replace(/[^\w.]+/g, "-");
      figure.append(row(
        button("save as SVG", () => save(`${file}.svg`, "image/svg+xml", alone(figure))),
        button("save as PNG", () => savePng(file, alone(figure))),
        ...[...figure.querySelectorAll("metadata.zerohop-map")].map((data) => zerohopMap(button, figure, data)),
      ));
    }
    root.querySelectorAll(".scroll > table").forEach((table, rank) => {
      if (table.rows.length > 2) {
        table.parentElement.after(button("save as CSV", () => save(`${name}-${rank + 1}.csv`, "text/csv", `${csv(table)}\r\n`)));
      }
    });
    for (const figure of root.querySelectorAll("figure.picture")) {
      const source = () => new XMLSerializer().serializeToString(figure.querySelector("svg"));
      figure.append(row(
        button("save as SVG", () => save(`${figure.dataset.name}.svg`, "image/svg+xml", source())),
        button("save as PNG", () => savePng(figure.dataset.name, source())),
        ...[...figure.querySelectorAll("metadata.zerohop-map")].map((data) => zerohopMap(button, figure, data)),
      ));
    }
  };

  decorate(document);
  const all = [...document.querySelectorAll("script.zerohop-data")];
  if (all.length) {
    document.querySelector("main").append(row(...all.map((data, rank) => {
      const which = all.length > 1 ? ` ${rank + 1}` : "";
      return saveJson(`save as JSON${which}`, `${name}${which.replace(" ", "-")}`, () => data.textContent);
    })));
  }
  return { button, decorate, row, saveJson };
})();
