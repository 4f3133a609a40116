"use strict";
// Begins.
zerohopTabs.whenOpened(async () => {
  const status = document.getElementById("status");
  zerohopControls.ready();
  try {
    const list = await zerohopCards.list();
    status.textContent = "";
    const update = () => {
      zerohopControls.listed(list);
      zerohopWalks.listed(list);
      zerohopCards.update(zerohopControls);
    };
    zerohopState.listen(update);
    update();
  } catch (error) {
    status.textContent = error.message;
  }
});
