import { emptyLedger, type Ledger, type Opening } from "@fairlead/contract";
import { noRemainder, type Remainder } from "./lines.ts";

/** What a fold remembers. Plain JSON: it can be stored, compared and taken up by another process. */
export interface FoldState {
  readonly opening: Opening | null;
  /** The dialect's own state. */
  readonly dialect: unknown;
  readonly ledger: Ledger;
  /** Whether a process is running, as far as the spool tells. */
  readonly running: boolean;
  /** What the session is heading for: going on, a pause, or its end. */
  readonly aim: "run" | "pause" | "end";
  /** Whether an error was told of since the last turn began. */
  readonly erred: boolean;
  readonly model: string | null;
  readonly out: Remainder;
  readonly err: Remainder;
}

export const emptyFold: FoldState = {
  opening: null,
  dialect: null,
  ledger: emptyLedger,
  running: false,
  aim: "run",
  erred: false,
  model: null,
  out: noRemainder,
  err: noRemainder,
};
