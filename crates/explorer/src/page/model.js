"use strict";
// The model: WebAssembly in workers. A lane is one worker, which answers one question at a time.
const zerohopModel = (() => {
  const text = (name) => document.getElementById(name).textContent;
  const bytes = (name) => Uint8Array.from(atob(text(name)), (character) => character.charCodeAt(0));
  const script = URL.createObjectURL(new Blob([bytes("zerohop-worker")], { type: "text/javascript" }));
  const unpacked = async () => {
    const stream = new Blob([bytes("zerohop-model")]).stream().pipeThrough(new DecompressionStream("gzip"));
    return WebAssembly.compile(await new Response(stream).arrayBuffer());
  };
  const compiled = unpacked();

  class Cancelled extends Error {}

  class Lane {
    #worker = null;
    #waiting = [];
    #current = null;
    #count = 0;

    // The answer to a question; `progress` learns how many of how many visits there have been.
    ask(question, progress = () => {}) {
      return new Promise((resolve, reject) => {
        this.#waiting.push({ question, progress, resolve, reject });
        this.#next();
      });
    }

    // Drops the questions that have not begun.
    forget() {
      for (const { reject } of this.#waiting.splice(0)) reject(new Cancelled());
    }

    // Drops all questions, and ends what is being computed.
    cancel() {
      this.forget();
      this.#worker?.terminate();
      this.#worker = null;
      this.#current?.reject(new Cancelled());
      this.#current = null;
    }

    async #next() {
      if (this.#current || !this.#waiting.length) return;
      const current = { ...this.#waiting.shift(), id: ++this.#count };
      this.#current = current;
      try {
        const module = await compiled;
        if (this.#current !== current) return;
        if (!this.#worker) {
          this.#worker = new Worker(script);
          this.#worker.onmessage = ({ data }) => this.#hear(data);
          this.#worker.onerror = (event) => this.#fail(event.message || "the worker ended");
          this.#worker.postMessage({ module });
        }
        this.#worker.postMessage({ id: current.id, question: JSON.stringify(current.question) });
      } catch (error) {
        this.#fail(`this browser cannot run the model: ${error.message}`);
      }
    }

    #hear({ id, rank, of, answer, met }) {
      const current = this.#current;
      if (!current || id !== current.id) return;
      if (of !== undefined) {
        current.progress(rank, of);
        return;
      }
      if (met !== undefined) {
        this.#fail(`this is a bug of zerohop: ${met}`);
        return;
      }
      this.#current = null;
      const answered = JSON.parse(answer);
      if (answered.error === undefined) current.resolve(answered);
      else current.reject(Object.assign(new Error(answered.error), { hint: answered.hint }));
      this.#next();
    }

    #fail(words) {
      const current = this.#current;
      this.#current = null;
      this.#worker?.terminate();
      this.#worker = null;
      current?.reject(new Error(words));
      this.#next();
    }
  }

  return { Lane, Cancelled };
})();
