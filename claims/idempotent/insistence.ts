import { randomUUID } from "node:crypto";
import type { CommandOptions, Fairlead } from "@fairlead/api";
import { type ErrorCode, FairleadError } from "@fairlead/contract";

/** Whatever a command may be. */
export type Kind = "start" | "send" | "steer" | "inject" | "answer" | "interrupt" | "pause" | "resume" | "stop";
type Act<Result> = (fairlead: Fairlead, options: CommandOptions) => Promise<Result>;
type Outcome = { readonly result: unknown } | { readonly refused: ErrorCode };

interface Given {
  readonly kind: Kind;
  readonly outcomes: Outcome[];
  readonly again: () => Promise<Outcome>;
}

/** Gives every command four times: twice at once, then once more, and the last time when all is over. */
export class Insistence {
  readonly given: Given[] = [];
  readonly #reach: () => Fairlead;
  readonly #key: () => () => string;

  /** `reach` makes a client; a control may have another key for each repetition. */
  constructor(reach: () => Fairlead, keys: "the same" | "always new" = "the same") {
    this.#reach = reach;
    this.#key = () => {
      const key = randomUUID();
      return keys === "the same" ? () => key : randomUUID;
    };
  }

  async give<Result>(kind: Kind, act: Act<Result>): Promise<Result> {
    const key = this.#key();
    const [one, other] = [this.#reach(), this.#reach()];
    const once = (fairlead: Fairlead): Promise<Outcome> => outcomeOf(act(fairlead, { key: key() }));
    const outcomes = await Promise.all([once(one), once(other)]);
    outcomes.push(await once(one));
    this.given.push({ kind, outcomes, again: () => once(this.#reach()) });
    const [first] = outcomes;
    if (first === undefined || "refused" in first) throw new Error(`To ${kind} was refused: ${JSON.stringify(first)}`);
    return first.result as Result;
  }

  async giveAllAgain(): Promise<void> {
    for (const { outcomes, again } of this.given) outcomes.push(await again());
  }

  /** How many repetitions were answered with something else than the first time, and how many with `indeterminate`. */
  get deviations(): { readonly different: number; readonly indeterminate: number } {
    const repeats = this.given.flatMap(({ outcomes: [first, ...rest] }) =>
      rest.filter((outcome) => JSON.stringify(outcome) !== JSON.stringify(first)),
    );
    const unknown = repeats.filter((outcome) => "refused" in outcome && outcome.refused === "indeterminate");
    return { different: repeats.length - unknown.length, indeterminate: unknown.length };
  }
}

async function outcomeOf(doing: Promise<unknown>): Promise<Outcome> {
  try {
    return { result: await doing };
  } catch (error) {
    if (!FairleadError.isInstance(error)) throw error;
    return { refused: error.code };
  }
}
