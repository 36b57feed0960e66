/** Something to write, and where: warnings and errors have a stream of their own. */
export interface Piece {
  readonly to: "out" | "err";
  readonly text: string;
}
