import type { Screen } from "../../screen.ts";

/** Lines at the end of a terminal that are drawn again in place when they change. */
export class LiveLines {
  readonly #screen: Screen;
  #drawn: readonly string[] = [];

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** Draws the lines, at most `maxRows` of them: what has left the screen cannot be drawn again. */
  draw(lines: readonly string[], maxRows: number): void {
    // The last lines say what a run waits for.
    const tail = Math.floor(maxRows / 2);
    const head = Math.max(0, maxRows - tail - 1);
    const shown =
      lines.length <= maxRows
        ? lines
        : [...lines.slice(0, head), `… ${lines.length - head - tail} more lines`, ...lines.slice(lines.length - tail)];
    if (shown.length === this.#drawn.length && shown.every((line, at) => line === this.#drawn[at])) return;
    // Up to the first drawn line, then clear to the end of the screen.
    const back = this.#drawn.length === 0 ? "" : `\u001b[${this.#drawn.length}A\u001b[J`;
    this.#screen.show([{ to: "out", text: `${back}${shown.map((line) => `${line}\n`).join("")}` }]);
    this.#drawn = shown;
  }
}
