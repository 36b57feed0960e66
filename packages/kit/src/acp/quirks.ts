import type { ErrorCategory } from "@fairlead/contract";
import type { Reading } from "../meter.ts";

/** Something that an agent lets slip beside the protocol, on its standard error. */
export type AcpAside =
  /** Its model did not answer and it is trying again. */
  | { readonly type: "trouble"; readonly status: number | null; readonly words: string }
  /** Its model has failed for good, with this number, which the protocol's own word of it lacks. */
  | { readonly type: "failure"; readonly status: number | null }
  /** One call of its model is over. */
  | { readonly type: "usage"; readonly reading: Reading };

/** Where agents differ within the Agent Client Protocol, or beside it. Data; an agent without quirks is `{}`. */
export interface AcpQuirks {
  /**
   * Where the name of a tool is found, for the protocol has no field for it: in the title of the first announcement, or
   * in the id of the call before a separator. By default its kind (`edit`, `execute`...) has to do.
   */
  readonly toolName?: "title" | { readonly idBefore: string };
  /**
   * What a prompt's answer says of tokens: `turn` (the default) is for all of the turn; `last-step` counts only the last
   * call of the model, so it is left aside; `meta-quota` stands in `_meta.quota`, by model, without a word about caches.
   */
  readonly usage?: "turn" | "last-step" | "meta-quota";
  /** Who serves the model; where it is not given, the model is called `provider/model`. */
  readonly provider?: string;
  /** What a command's result says, with groups `output` and `exit`, where a failure is told in words only. */
  readonly commandReport?: RegExp;
  /** What it puts before every thought. */
  readonly thoughtPrefix?: string;
  /** What is put before the name of a conversation that is to be loaded, where the bare name would do harm. */
  readonly loadPrefix?: string;
  /**
   * The replay of a loaded conversation goes on after the answer to `session/load`: it is over when nothing has been
   * heard for so many milliseconds.
   */
  readonly replayQuiet?: number;
  /** What a turn has met with that ends well without having used a token; but messages that begin so need no model. */
  readonly unused?: { readonly category: ErrorCategory; readonly unless: RegExp };
  /** Words of its failures that say more than their numbers do. */
  readonly phrases?: readonly (readonly [RegExp, ErrorCategory])[];
  /** What a failure is that neither its number nor its words explain. */
  readonly failure?: ErrorCategory;
  /** What a line on standard error lets slip. Pure. */
  readonly aside?: (line: string) => AcpAside | null;
}
