"use strict";
// The explorer as a tab of a report: it begins when it is opened, or when the address says what it shows. By itself, it begins at once.
const zerohopTabs = (() => {
  const tabs = document.getElementById("tabs");
  const explorer = document.querySelector("main.explorer");
  const report = document.querySelector("main:not(.explorer)");

  const whenOpened = (begin) => {
    if (!tabs) {
      begin();
      return;
    }
    let begun = false;
    const open = (isExplorer) => {
      [report.hidden, explorer.hidden] = [isExplorer, !isExplorer];
      document.getElementById("tab-report").setAttribute("aria-pressed", !isExplorer);
      document.getElementById("tab-explorer").setAttribute("aria-pressed", isExplorer);
      if (isExplorer && !begun) {
        begun = true;
        begin();
      }
    };
    document.getElementById("tab-report").addEventListener("click", () => open(false));
    document.getElementById("tab-explorer").addEventListener("click", () => open(true));
    tabs.hidden = false;
    if (new URLSearchParams(location.hash.slice(1)).has("on")) open(true);
  };
  return { whenOpened };
})();
