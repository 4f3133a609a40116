"use strict";
// Behind the script that wasm-bindgen wrote: answers questions, one after another.
let told = 0;
onmessage = ({ data }) => {
  if (data.module) {
    wasm_bindgen.initSync({ module: data.module });
    return;
  }
  const { id, question } = data;
  const progress = (rank, of) => {
    const now = performance.now();
    if (now - told < 50) return;
    told = now;
    postMessage({ id, rank, of });
  };
  try {
    postMessage({ id, answer: wasm_bindgen.answer(question, progress) });
  } catch (error) {
    postMessage({ id, met: wasm_bindgen.met() || String(error) });
  }
};
