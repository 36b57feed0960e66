import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { CommandOptions, Fairlead } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import type { SeededRandom } from "../../measure/seeded-random.ts";

/** Milliseconds after a gateway has refused a command for now. */
const retryPause = 250;

/** Sends a command once. Returns what identifies its effect: the turn of a message, the session of a start. */
export type SendOnce = (fairlead: Fairlead, options: CommandOptions) => Promise<string>;

type CommandAnswer = { readonly effect: string } | { readonly error: string };

interface SentCommand {
  /** The text of its turn. It is the text of no other command. */
  readonly text: string;
  readonly answers: CommandAnswer[];
}

export interface CommandSenderOptions {
  /** A client for each gateway, without retries. */
  readonly clients: readonly Fairlead[];
  /** A client that tries again at other gateways, until one answers. */
  readonly patient: Fairlead;
  readonly random: SeededRandom;
  /** A control uses another key each time. */
  readonly keys: "the same" | "always new";
}

/** Sends every command four times: at two gateways at once, then until a gateway answers, and once more when the caller asks. */
export class CommandSender {
  readonly commands: SentCommand[] = [];
  readonly #options: CommandSenderOptions;

  constructor(options: CommandSenderOptions) {
    this.#options = options;
  }

  /** Sends a command three times. Returns its effect, and a function that sends it for the fourth time. */
  async send(
    text: string,
    sendOnce: SendOnce,
  ): Promise<{ readonly effect: string; readonly repeat: () => Promise<void> }> {
    const { clients, patient, random, keys } = this.#options;
    const key = randomUUID();
    const answers: CommandAnswer[] = [];
    this.commands.push({ text, answers });
    const sendTo = async (fairlead: Fairlead | undefined): Promise<void> => {
      if (fairlead === undefined) throw new Error("There is no such gateway.");
      answers.push(await captureAnswer(sendOnce(fairlead, { key: keys === "the same" ? key : randomUUID() })));
    };
    const first = random.nextBelow(clients.length);
    const at = (offset: number): Fairlead | undefined => clients[(first + offset) % clients.length];
    await Promise.all([sendTo(at(0)), sendTo(at(1))]);
    for (;;) {
      await sendTo(patient);
      const last = answers.at(-1);
      if (last !== undefined && "effect" in last) return { effect: last.effect, repeat: () => sendTo(at(2)) };
      // The client tries again after a lost connection only. This error says that the command had no effect.
      if (last?.error !== "unavailable") throw new Error(`"${text}" was not accepted: ${last?.error}`);
      await wait(retryPause);
    }
  }

  /** The number of commands with answers that name different effects. */
  get contradicted(): number {
    return this.commands.filter(
      ({ answers }) => new Set(answers.flatMap((answer) => ("effect" in answer ? [answer.effect] : []))).size !== 1,
    ).length;
  }

  /** How often each error was the answer. */
  get errors(): Readonly<Record<string, number>> {
    const errors = this.commands.flatMap(({ answers }) =>
      answers.flatMap((one) => ("error" in one ? [one.error] : [])),
    );
    return Object.fromEntries(
      [...new Set(errors)].map((error) => [error, errors.filter((one) => one === error).length]),
    );
  }
}

async function captureAnswer(sending: Promise<string>): Promise<CommandAnswer> {
  try {
    return { effect: await sending };
  } catch (error) {
    if (!FairleadError.isInstance(error)) throw error;
    const isLost = error.cause instanceof Error && error.cause.name === "ConnectionLost";
    return { error: isLost ? "connection lost" : error.code };
  }
}
