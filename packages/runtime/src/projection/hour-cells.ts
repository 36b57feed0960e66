/** A sum of one group in one hour. The hour is counted from 1970. A list, because a row of the index may have thousands. */
export type HourCell = readonly [hour: number, group: number, ...values: (number | null)[]];

/** The maximum number of hours, and of days, times groups. */
const maxCells = 1000;

/**
 * Sums by hour and group. Above 1,000 hours the oldest are merged into days, and above 1,000 days the oldest into the next
 * one, so that a session of any length has a bounded row and loses nothing.
 */
export class HourCells<Cell extends HourCell> {
  readonly #hours: Map<string, Cell>;
  readonly #days: Map<string, Cell>;
  readonly #sum: (one: Cell, other: Cell) => Cell;

  /** `sum` returns a cell with the hour and the group of its first argument. */
  constructor(hours: readonly Cell[], days: readonly Cell[], sum: (one: Cell, other: Cell) => Cell) {
    this.#hours = new Map(hours.map((cell) => [keyOf(cell), cell]));
    this.#days = new Map(days.map((cell) => [keyOf(cell), cell]));
    this.#sum = sum;
  }

  get hours(): Cell[] {
    return [...this.#hours.values()];
  }

  get days(): Cell[] {
    return [...this.#days.values()];
  }

  /** Days and hours, the oldest first as far as the clock did not go back. */
  *[Symbol.iterator](): Generator<Cell> {
    yield* this.#days.values();
    yield* this.#hours.values();
  }

  add(cell: Cell): void {
    this.#addTo(this.#hours, cell);
    const oldestHour = this.#hours.size > maxCells ? takeFirst(this.#hours) : undefined;
    if (oldestHour === undefined) return;
    this.#addTo(this.#days, withHour(oldestHour, oldestHour[0] - (oldestHour[0] % 24)));
    const oldestDay = this.#days.size > maxCells ? takeFirst(this.#days) : undefined;
    if (oldestDay === undefined) return;
    const next = this.#days.values().find(([, group]) => group === oldestDay[1]);
    this.#addTo(this.#days, next === undefined ? oldestDay : withHour(oldestDay, next[0]));
  }

  #addTo(cells: Map<string, Cell>, added: Cell): void {
    const key = keyOf(added);
    const cell = cells.get(key);
    cells.set(key, cell === undefined ? added : this.#sum(cell, added));
  }
}

function withHour<Cell extends HourCell>(cell: Cell, hour: number): Cell {
  return Object.assign([...cell], { 0: hour }) as unknown as Cell;
}

function takeFirst<Cell>(cells: Map<string, Cell>): Cell | undefined {
  for (const [key, cell] of cells) {
    cells.delete(key);
    return cell;
  }
  return undefined;
}

function keyOf([hour, group]: HourCell): string {
  return `${hour} ${group}`;
}
