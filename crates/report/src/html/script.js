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

  const decorate = (root) => {
    root.querySelectorAll("p.command").forEach(copies);
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
