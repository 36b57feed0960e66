/** Receives Ctrl-C, as a signal or as a key. Keeps a press until a listener is set. */
export class InterruptHandler implements Disposable {
  #listener: (() => void) | null = null;
  #isPending = false;

  constructor() {
    process.on("SIGINT", this.handle);
  }

  readonly handle = (): void => {
    if (this.#listener === null) this.#isPending = true;
    else this.#listener();
  };

  listen(listener: () => void): void {
    this.#listener = listener;
    if (this.#isPending) listener();
    this.#isPending = false;
  }

  [Symbol.dispose](): void {
    process.off("SIGINT", this.handle);
  }
}
