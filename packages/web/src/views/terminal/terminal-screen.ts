import type { TerminalSize } from "@fairlead/contract";
import { FitAddon } from "@xterm/addon-fit";
import { Terminal } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";
import { openWithNonce } from "./open-with-nonce.ts";
import { styleSpans } from "./style-spans.ts";
import { onThemeChange, readTerminalColors } from "./terminal-colors.ts";

/** How many lines above the screen are kept. Programs with a screen of their own keep none. */
const scrollback = 2000;

export interface TerminalScreenOptions {
  readonly element: HTMLElement;
  /** What a person types, and what the terminal answers to a program. Without it, the terminal does neither. */
  readonly onInput?: (keys: string) => void;
  /** Called when the terminal follows the size of its element. Without it, the terminal keeps the size that it is given. */
  readonly onResize?: (size: TerminalSize) => void;
  /** Called for Ctrl-\, as in the terminal of the command line. */
  readonly onLeave: () => void;
}

/** A terminal in an element, until it is disposed. It follows the size of the element, or that of a terminal elsewhere. */
export class TerminalScreen implements Disposable {
  readonly #terminal: Terminal;
  readonly #fit = new FitAddon();
  readonly #closing = new AbortController();
  readonly #styles: Disposable;

  constructor({ element, onInput, onResize, onLeave }: TerminalScreenOptions) {
    const terminal = new Terminal({
      // Also keeps it from answering the questions of programs, which only one terminal may answer.
      disableStdin: onInput === undefined,
      cursorBlink: false,
      fontFamily: getComputedStyle(element).getPropertyValue("--font-mono"),
      fontSize: matchMedia("(max-width: 639px)").matches ? 11 : 13,
      lineHeight: 1.2,
      scrollback,
      theme: readTerminalColors(),
      // A program names the address of a link, and may show another one.
      linkHandler: { activate: () => {}, allowNonHttpProtocols: false },
    });
    this.#terminal = terminal;
    terminal.loadAddon(this.#fit);
    openWithNonce(() => terminal.open(element));
    this.#styles = styleSpans();
    terminal.attachCustomKeyEventHandler((event) => {
      if (event.type !== "keydown" || !event.ctrlKey || event.key !== "\\") return true;
      event.preventDefault();
      onLeave();
      return false;
    });
    if (onInput !== undefined) terminal.onData(onInput);
    // Before the listener: the caller asks for the first size when it needs it.
    this.fit();
    if (onResize !== undefined) {
      terminal.onResize(() => onResize(this.size));
      const observer = new ResizeObserver(() => this.fit());
      observer.observe(element);
      this.#closing.signal.addEventListener("abort", () => observer.disconnect());
    }
    onThemeChange(() => (terminal.options.theme = readTerminalColors()), this.#closing.signal);
  }

  get size(): TerminalSize {
    return { columns: this.#terminal.cols, rows: this.#terminal.rows };
  }

  /** Whether the program asked for the other form of the arrow keys. */
  get isApplicationMode(): boolean {
    return this.#terminal.modes.applicationCursorKeysMode;
  }

  write(text: string): void {
    this.#terminal.write(text);
  }

  focus(): void {
    this.#terminal.focus();
  }

  fit(): void {
    const size = this.#fit.proposeDimensions();
    if (size !== undefined && Number.isFinite(size.cols) && Number.isFinite(size.rows)) this.#fit.fit();
  }

  resize({ columns, rows }: TerminalSize): void {
    this.#terminal.resize(columns, rows);
  }

  [Symbol.dispose](): void {
    this.#closing.abort();
    this.#terminal.dispose();
    this.#styles[Symbol.dispose]();
  }
}
