import type { RowKey } from "@fairlead/journal";
import { comparisonOf, SortedRows, type RowVisitor } from "./sorted-rows.ts";

const compare = comparisonOf("activity");

/**
 * Rows by the value of one field, the newest activity first. Most names and conversations have one row, which is kept without
 * a list.
 */
export class RowGroups<Row extends RowKey> {
  readonly #groups = new Map<string, Row | SortedRows<Row>>();

  add(value: string | null, row: Row): void {
    if (value === null) return;
    const group = this.#groups.get(value);
    if (group === undefined) {
      this.#groups.set(value, row);
    } else if (group instanceof SortedRows) {
      group.add(row);
    } else {
      const rows = new SortedRows<Row>("activity");
      rows.add(group);
      rows.add(row);
      this.#groups.set(value, rows);
    }
  }

  delete(value: string | null, row: Row): void {
    if (value === null) return;
    const group = this.#groups.get(value);
    if (group instanceof SortedRows) group.delete(row);
    if (group === row || (group instanceof SortedRows && group.size === 0)) this.#groups.delete(value);
  }

  count(value: string): number {
    const group = this.#groups.get(value);
    return group instanceof SortedRows ? group.size : Number(group !== undefined);
  }

  /** Visits the rows of a value at and after a key, or all of them. */
  scan(value: string, key: RowKey | undefined, visit: RowVisitor<Row>): void {
    const group = this.#groups.get(value);
    if (group instanceof SortedRows) group.scan(key, visit);
    else if (group !== undefined && (key === undefined || compare(key, group) <= 0)) visit(group);
  }
}
