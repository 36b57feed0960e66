import { randomUUID } from "node:crypto";
import type { CommandOptions, Fairlead } from "@fairlead/api";
import { type ErrorCode, FairleadError } from "@fairlead/contract";

/** Every kind of command. */
export type CommandKind = "start" | "send" | "steer" | "inject" | "answer" | "interrupt" | "pause" | "resume" | "stop";
type SendCommand<Result> = (fairlead: Fairlead, options: CommandOptions) => Promise<Result>;
type CommandOutcome = { readonly result: unknown } | { readonly rejectedWith: ErrorCode };

interface RepeatedCommand {
  readonly kind: CommandKind;
  readonly outcomes: CommandOutcome[];
  readonly repeat: () => Promise<CommandOutcome>;
}

/** Sends every command four times: twice at once, then again, and once more at the end. */
export class CommandRepeater {
  readonly commands: RepeatedCommand[] = [];
  readonly #connect: () => Fairlead;
  readonly #createKeySource: () => () => string;

  /** `connect` creates a client. A control may use another key for each repetition. */
  constructor(connect: () => Fairlead, keys: "the same" | "always new" = "the same") {
    this.#connect = connect;
    this.#createKeySource = () => {
      const key = randomUUID();
      return keys === "the same" ? () => key : randomUUID;
    };
  }

  async issue<Result>(kind: CommandKind, send: SendCommand<Result>): Promise<Result> {
    const nextKey = this.#createKeySource();
    const [one, other] = [this.#connect(), this.#connect()];
    const sendOnce = (fairlead: Fairlead): Promise<CommandOutcome> =>
      captureOutcome(send(fairlead, { key: nextKey() }));
    const outcomes = await Promise.all([sendOnce(one), sendOnce(other)]);
    outcomes.push(await sendOnce(one));
    this.commands.push({ kind, outcomes, repeat: () => sendOnce(this.#connect()) });
    const [first] = outcomes;
    if (first === undefined || "rejectedWith" in first)
      throw new Error(`To ${kind} was refused: ${JSON.stringify(first)}`);
    return first.result as Result;
  }

  async repeatAll(): Promise<void> {
    for (const { outcomes, repeat } of this.commands) outcomes.push(await repeat());
  }

  /** The number of repetitions with another result than the first, and with `indeterminate`. */
  get deviations(): { readonly different: number; readonly indeterminate: number } {
    const repeats = this.commands.flatMap(({ outcomes: [first, ...rest] }) =>
      rest.filter((outcome) => JSON.stringify(outcome) !== JSON.stringify(first)),
    );
    const indeterminateRepeats = repeats.filter(
      (outcome) => "rejectedWith" in outcome && outcome.rejectedWith === "indeterminate",
    );
    return { different: repeats.length - indeterminateRepeats.length, indeterminate: indeterminateRepeats.length };
  }
}

async function captureOutcome(pending: Promise<unknown>): Promise<CommandOutcome> {
  try {
    return { result: await pending };
  } catch (error) {
    if (!FairleadError.isInstance(error)) throw error;
    return { rejectedWith: error.code };
  }
}
