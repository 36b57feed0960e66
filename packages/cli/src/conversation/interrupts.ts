/** Ctrl-C, however the terminal gives it. What is pressed before anybody listens is kept for them. */
export class Interrupts implements Disposable {
  #listener: (() => void) | null = null;
  #early = false;

  constructor() {
    process.on("SIGINT", this.press);
  }

  readonly press = (): void => {
    if (this.#listener === null) this.#early = true;
    else this.#listener();
  };

  listen(listener: () => void): void {
    this.#listener = listener;
    if (this.#early) listener();
    this.#early = false;
  }

  [Symbol.dispose](): void {
    process.off("SIGINT", this.press);
  }
}
