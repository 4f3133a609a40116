"use strict";
// Begins.
zerohopTabs.whenOpened(async () => {
  const status = document.getElementById("status");
  zerohopControls.ready();
  zerohopChanges.listen();
  try {
    const list = await zerohopCards.list();
    status.textContent = "";
    const update = () => {
      zerohopWalks.listed(list);
      zerohopControls.listed(list);
      zerohopCards.update({
        ...zerohopControls,
        possible: (faults, machine) => {
          zerohopControls.possible(faults);
          zerohopWalks.known(list, faults, machine);
        },
      });
    };
    zerohopState.listen(update);
    update();
  } catch (error) {
    status.textContent = error.message;
  }
});
