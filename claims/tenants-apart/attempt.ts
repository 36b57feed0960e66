import type { Engine } from "@fairlead/engine";
import type { JetStreamManager } from "@nats-io/jetstream";
import { createInbox, type NatsConnection } from "@nats-io/transport-node";
import { setTimeout as delay } from "node:timers/promises";
import type { Victim } from "./victim.ts";

/** What an attacker has: a login of its own, and everything that a person who knows the other tenant could know. */
export interface Attack {
  readonly engine: Engine;
  readonly connection: NatsConnection;
  readonly manager: JetStreamManager;
  readonly victim: Victim;
  /** Aborts when the time of the attempt is over. */
  readonly signal: AbortSignal;
}

/** One way to reach something of another tenant. */
export interface Attempt {
  readonly name: string;
  /** The login with which the control succeeds. Default: one in the account of the victim. */
  readonly control?: "system";
  /** Whether the attempt has read, changed or removed something of the victim. An error means that it has not. */
  readonly run: (attack: Attack) => Promise<boolean>;
}

const limitMs = 15_000;

/** Makes an attempt. One that fails or takes too long has not succeeded. */
export async function succeeds(attempt: Attempt, attack: Omit<Attack, "signal">): Promise<boolean> {
  const ended = new AbortController();
  const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(limitMs)]);
  const late = delay(limitMs, false, { signal: ended.signal });
  try {
    return await Promise.race([attempt.run({ ...attack, signal }), late]);
  } catch {
    return false;
  } finally {
    ended.abort();
    await late.catch(() => {});
  }
}

/** Waits until a condition is true. Returns false if it is not within some seconds. */
export async function becomesTrue(condition: () => boolean | Promise<boolean>, seconds = 2): Promise<boolean> {
  const end = performance.now() + seconds * 1_000;
  while (performance.now() < end) {
    if (await condition()) return true;
    await delay(20);
  }
  return false;
}

/** Whether one of the messages on a subject has the text while an action runs, and two seconds after it. */
export async function hears(
  connection: NatsConnection,
  subject: string,
  isWanted: (subject: string, data: Uint8Array) => boolean,
  action: () => Promise<unknown>,
): Promise<boolean> {
  let heard = false;
  const subscription = connection.subscribe(subject, {
    callback: (error, message) => {
      if (error === null && isWanted(message.subject, message.data)) heard = true;
    },
  });
  await connection.flush();
  await action();
  const result = await becomesTrue(() => heard);
  subscription.unsubscribe();
  return result;
}

/** Whether a pull consumer hands out a message of the subject. */
export async function pulls(
  connection: NatsConnection,
  { stream, consumer, subject }: { readonly stream: string; readonly consumer: string; readonly subject: string },
): Promise<boolean> {
  const inbox = createInbox();
  let isPulled = false;
  // The message comes with the subject that it has in the stream, so that a request would not take it for its answer.
  const subscription = connection.subscribe(inbox, {
    callback: (_, message) => void (isPulled ||= message.subject === subject),
  });
  const query = JSON.stringify({ batch: 1, expires: 900e6 });
  const result = await becomesTrue(async () => {
    // The consumer may have no leader at first.
    connection.publish(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`, query, { reply: inbox });
    return await becomesTrue(() => isPulled, 1);
  }, 5);
  subscription.unsubscribe();
  return result;
}
