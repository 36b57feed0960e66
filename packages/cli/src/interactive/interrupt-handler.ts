export interface InterruptListener {
  /** Handles Ctrl-C. */
  interrupt(): void;
  /** Handles Ctrl-\\. */
  detach(): void;
}

/** Receives Ctrl-C and Ctrl-\\, as a signal or as a key. Keeps a press until a listener is set. */
export class InterruptHandler implements Disposable {
  #listener: InterruptListener | null = null;
  #pending: keyof InterruptListener | null = null;

  constructor() {
    process.on("SIGINT", this.handle);
    process.on("SIGQUIT", this.handleDetach);
  }

  readonly handle = (): void => this.#press("interrupt");

  readonly handleDetach = (): void => this.#press("detach");

  listen(listener: InterruptListener): void {
    this.#listener = listener;
    if (this.#pending !== null) listener[this.#pending]();
    this.#pending = null;
  }

  [Symbol.dispose](): void {
    process.off("SIGINT", this.handle);
    process.off("SIGQUIT", this.handleDetach);
  }

  #press(key: keyof InterruptListener): void {
    if (this.#listener === null) this.#pending = key;
    else this.#listener[key]();
  }
}
