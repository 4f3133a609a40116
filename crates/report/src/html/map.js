"use strict";
// A map that a picture carries as data, on a canvas that zooms. Colours and digits are those of the picture: nothing is computed anew.
// Returns a button that opens it.
const zerohopMap = (() => {
  const LEFT = 72;
  const TOP = 56;
  const LARGEST = 72;
  const FONT = "11px system-ui, sans-serif";

  const group = (groups, rank) => (groups ?? []).find(({ from, to }) => from <= rank && rank < to)?.name;

  // What the two of a pair share, by the marks of the picture.
  const shared = ({ shares }, row, column) => {
    if (!shares) return "";
    const names = (kind) => [group(shares.rows[kind], row), group(shares.columns[kind], column)];
    const [one, other] = names("caches");
    if (one && one === other) return `, same ${one}`;
    const [mine, theirs] = names("packages");
    return mine === theirs ? `, same ${mine}` : `, ${mine} and ${theirs}`;
  };

  // The cells, a pixel each.
  const bitmap = ({ rows, columns, shades, palette }) => {
    const drawn = document.createElement("canvas");
    [drawn.width, drawn.height] = [columns.length, rows.length];
    const context = drawn.getContext("2d");
    const pixels = context.createImageData(drawn.width, drawn.height);
    for (let rank = 0; rank < shades.length; rank += 1) {
      const colour = palette[shades.charCodeAt(rank) - 97];
      if (!colour) continue;
      const bits = Number.parseInt(colour[0].slice(1), 16);
      pixels.data.set([bits >> 16, (bits >> 8) & 255, bits & 255, 255], 4 * rank);
    }
    context.putImageData(pixels, 0, 0);
    return drawn;
  };

  const open = (button, opener, map) => {
    const { title, unit, rows, columns } = map;
    const values = map.values.split(",");
    const signs = [...map.signs];
    const cells = bitmap(map);
    const longest = values.reduce((most, value) => Math.max(most, value.length), 1);
    const box = document.createElement("div");
    box.className = "zoom";
    const canvas = document.createElement("canvas");
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "application");
    canvas.setAttribute("aria-label", `${title}: arrow keys choose a pair, plus and minus zoom, 0 shows the whole map, Escape closes it`);
    const words = document.createElement("output");
    const context = canvas.getContext("2d");
    const at = { row: 0, column: Math.min(1, columns.length - 1) };
    let [scale, x, y, asked, width, height] = [1, 0, 0, false, 0, 0];

    const least = () => Math.max(0.05, Math.min((width - LEFT) / columns.length, (height - TOP) / rows.length));
    const clamp = (value, low, high) => Math.min(Math.max(value, low), Math.max(low, high));
    const hold = () => {
      scale = clamp(scale, least(), Math.max(LARGEST, least()));
      x = clamp(x, 0, columns.length - (width - LEFT) / scale);
      y = clamp(y, 0, rows.length - (height - TOP) / scale);
    };
    const across = (column) => LEFT + (column - x) * scale;
    const down = (row) => TOP + (row - y) * scale;

    const lines = (groups, stroke) => {
      context.lineWidth = stroke;
      context.beginPath();
      const [right, bottom] = [Math.min(width, across(columns.length)), Math.min(height, down(rows.length))];
      for (const { from } of (groups?.columns ?? []).slice(1)) {
        if (across(from) > LEFT) { context.moveTo(across(from), TOP); context.lineTo(across(from), bottom); }
      }
      for (const { from } of (groups?.rows ?? []).slice(1)) {
        if (down(from) > TOP) { context.moveTo(LEFT, down(from)); context.lineTo(right, down(from)); }
      }
      context.stroke();
    };
    const shares = (kind) => map.shares && { rows: map.shares.rows[kind], columns: map.shares.columns[kind] };

    const heads = (ink, last) => {
      context.fillStyle = ink;
      context.textAlign = "center";
      const widest = Math.max(...[columns[0], columns.at(-1)].map((head) => context.measureText(head).width)) + 10;
      const every = Math.max(1, Math.ceil(widest / scale));
      for (let column = Math.ceil(Math.floor(x) / every) * every; column <= last.column; column += every) {
        if (across(column + 0.5) >= LEFT) context.fillText(columns[column], across(column + 0.5), TOP - 6);
      }
      context.textAlign = "right";
      const some = Math.max(1, Math.ceil(14 / scale));
      for (let row = Math.ceil(Math.floor(y) / some) * some; row <= last.row; row += some) {
        if (down(row + 0.5) >= TOP) context.fillText(rows[row], LEFT - 6, down(row + 0.5) + 4);
      }
      context.textAlign = "center";
      for (const [kind, line] of [["packages", TOP - 40], ["caches", TOP - 24]]) {
        for (const { from, to, name } of shares(kind)?.columns ?? []) {
          const [left, right] = [Math.max(LEFT, across(from)), Math.min(width, across(to))];
          if (right - left > context.measureText(name).width + 4) context.fillText(name, (left + right) / 2, line);
        }
      }
    };

    const draw = () => {
      asked = false;
      const style = getComputedStyle(document.documentElement);
      const [paper, ink, accent] = ["--paper", "--ink", "--accent"].map((name) => style.getPropertyValue(name));
      const pixels = devicePixelRatio;
      context.setTransform(pixels, 0, 0, pixels, 0, 0);
      context.fillStyle = paper;
      context.fillRect(0, 0, width, height);
      context.font = FONT;
      const last = {
        column: Math.min(columns.length, Math.ceil(x + (width - LEFT) / scale)) - 1,
        row: Math.min(rows.length, Math.ceil(y + (height - TOP) / scale)) - 1,
      };
      context.save();
      context.beginPath();
      context.rect(LEFT, TOP, width - LEFT, height - TOP);
      context.clip();
      context.imageSmoothingEnabled = false;
      context.drawImage(cells, across(0), down(0), columns.length * scale, rows.length * scale);
      if (scale >= longest * 7 + 6) {
        context.textAlign = "center";
        for (let row = Math.floor(y); row <= last.row; row += 1) {
          for (let column = Math.floor(x); column <= last.column; column += 1) {
            const rank = row * columns.length + column;
            if (!values[rank]) continue;
            context.fillStyle = map.palette[map.shades.charCodeAt(rank) - 97][1];
            context.fillText(values[rank], across(column + 0.5), down(row + 0.5) + 4);
            if ((signs[rank] ?? " ") !== " ") context.fillText(signs[rank], across(column + 1) - 6, down(row) + 12);
          }
        }
      }
      context.strokeStyle = ink;
      lines(shares("caches"), 0.75);
      lines(shares("packages"), 2);
      context.strokeStyle = paper;
      context.lineWidth = 5;
      const around = [across(at.column) - 1, down(at.row) - 1, Math.max(scale, 4) + 2, Math.max(scale, 4) + 2];
      context.strokeRect(...around);
      context.strokeStyle = accent;
      context.lineWidth = 2.5;
      context.strokeRect(...around);
      context.restore();
      heads(ink, last);
    };
    const ask = () => {
      hold();
      if (!asked) requestAnimationFrame(draw);
      asked = true;
    };
    const name = () => {
      const rank = at.row * columns.length + at.column;
      const sign = (signs[rank] ?? " ").trim();
      const value = values[rank] ? `${values[rank]} ${unit}${sign && ` ${sign}`}` : "no value";
      words.textContent = `${rows[at.row]} → ${columns[at.column]}: ${value}${shared(map, at.row, at.column)}`;
    };
    const choose = (row, column) => {
      at.row = clamp(row, 0, rows.length - 1);
      at.column = clamp(column, 0, columns.length - 1);
      name();
      ask();
    };
    // The place under a point stays there.
    const zoom = (factor, left = across(at.column + 0.5), top = down(at.row + 0.5)) => {
      const [column, row] = [x + (left - LEFT) / scale, y + (top - TOP) / scale];
      scale *= factor;
      scale = clamp(scale, least(), Math.max(LARGEST, least()));
      x = column - (left - LEFT) / scale;
      y = row - (top - TOP) / scale;
      ask();
    };
    const whole = () => { scale = 0; ask(); };
    const show = () => {
      const [seenRows, seenColumns] = [(height - TOP) / scale, (width - LEFT) / scale];
      x = clamp(x, at.column + 1 - seenColumns, at.column);
      y = clamp(y, at.row + 1 - seenRows, at.row);
    };
    const close = () => { observer.disconnect(); box.remove(); opener.disabled = false; opener.focus(); };

    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      zoom(Math.exp(-event.deltaY / 300), event.offsetX, event.offsetY);
    }, { passive: false });
    let dragged;
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      dragged = [event.offsetX, event.offsetY];
    });
    canvas.addEventListener("pointerup", () => { dragged = undefined; });
    canvas.addEventListener("pointercancel", () => { dragged = undefined; });
    canvas.addEventListener("pointermove", (event) => {
      if (dragged) {
        x -= (event.offsetX - dragged[0]) / scale;
        y -= (event.offsetY - dragged[1]) / scale;
        dragged = [event.offsetX, event.offsetY];
        ask();
        return;
      }
      const [column, row] = [Math.floor(x + (event.offsetX - LEFT) / scale), Math.floor(y + (event.offsetY - TOP) / scale)];
      if (event.offsetX >= LEFT && event.offsetY >= TOP && column < columns.length && row < rows.length) choose(row, column);
    });
    const keys = {
      ArrowUp: () => choose(at.row - 1, at.column),
      ArrowDown: () => choose(at.row + 1, at.column),
      ArrowLeft: () => choose(at.row, at.column - 1),
      ArrowRight: () => choose(at.row, at.column + 1),
      Home: () => choose(at.row, 0),
      End: () => choose(at.row, columns.length - 1),
      PageUp: () => choose(0, at.column),
      PageDown: () => choose(rows.length - 1, at.column),
      "+": () => zoom(1.5),
      "=": () => zoom(1.5),
      "-": () => zoom(1 / 1.5),
      0: whole,
      Escape: close,
    };
    canvas.addEventListener("keydown", (event) => {
      const act = keys[event.key];
      if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      act();
      show();
    });

    const bar = document.createElement("div");
    bar.className = "saves";
    bar.append(
      button("zoom in", () => { zoom(1.5); show(); }),
      button("zoom out", () => zoom(1 / 1.5)),
      button("whole map", whole),
      button("close", close),
      words,
    );
    box.append(bar, canvas);
    const fit = () => {
      [width, height] = [canvas.clientWidth, canvas.clientHeight];
      [canvas.width, canvas.height] = [width * devicePixelRatio, height * devicePixelRatio];
      ask();
    };
    const observer = new ResizeObserver(fit);
    observer.observe(canvas);
    opener.disabled = true;
    opener.closest("figure").append(box);
    fit();
    name();
    canvas.focus();
  };

  return (button, figure, data) => {
    const map = JSON.parse(data.textContent);
    return button(`zoom: ${map.title}`, (made) => open(button, made, map));
  };
})();
