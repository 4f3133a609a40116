"use strict";
// Everything is readable without this: it adds buttons that copy commands and save data, tables and pictures.
(() => {
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

  for (const command of document.querySelectorAll("p.command")) {
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
  }

  // A spreadsheet evaluates what begins with one of these.
  const field = (text) => {
    const safe = /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
    return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const csv = (table) => [...table.rows]
    .map((row) => [...row.cells].map((cell) => field(cell.textContent.trim().replace(/\s+/g, " "))).join(","))
    .join("\r\n");
  document.querySelectorAll(".scroll > table").forEach((table, rank) => {
    if (table.rows.length > 2) {
      table.parentElement.after(button("save as CSV", () => save(`${name}-${rank + 1}.csv`, "text/csv", `${csv(table)}\r\n`)));
    }
  });

  for (const figure of document.querySelectorAll("figure.picture")) {
    const svg = figure.querySelector("svg");
    const source = () => new XMLSerializer().serializeToString(svg);
    const row = document.createElement("div");
    row.className = "saves";
    row.append(button("save as SVG", () => save(`${figure.dataset.name}.svg`, "image/svg+xml", source())));
    row.append(button("save as PNG", () => {
      const image = new Image();
      image.addEventListener("load", () => {
        const canvas = document.createElement("canvas");
        // Twice as many pixels as units, as `-o FILE.png` has.
        [canvas.width, canvas.height] = [2 * image.width, 2 * image.height];
        canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
        canvas.toBlob((png) => save(`${figure.dataset.name}.png`, "image/png", png));
      });
      image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(source())}`;
    }));
    figure.append(row);
  }

  const all = [...document.querySelectorAll("script.zerohop-data")];
  if (all.length) {
    const row = document.createElement("div");
    row.className = "saves";
    all.forEach((data, rank) => {
      const which = all.length > 1 ? ` ${rank + 1}` : "";
      row.append(button(`save as JSON${which}`, () => save(`${name}${which.replace(" ", "-")}.json`, "application/json", data.textContent)));
    });
    document.querySelector("main").append(row);
  }
})();
