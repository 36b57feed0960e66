import { setTimeout as wait } from "node:timers/promises";
import { FairleadError, type Event } from "@fairlead/contract";
import type { Runtime } from "@fairlead/runtime";

const between = 1000;

/**
 * A session's events until it ends or the signal aborts. Whoever drives the session writes the journal, and we look on;
 * when nobody does, we drive it ourselves until somebody else takes over.
 */
export async function* follow(runtime: Runtime, id: string, after: number, signal: AbortSignal): AsyncGenerator<Event> {
  let last = after;
  while (!signal.aborted) {
    for (const way of [lookOn, drive]) {
      for await (const event of way(runtime, id, last, signal)) {
        last = event.sequence;
        yield event;
        if (event.body.type === "session.ended") return;
      }
      if (signal.aborted) return;
    }
  }
}

/** What others write down. Ends when the agent goes on and nobody does. */
async function* lookOn(runtime: Runtime, id: string, after: number, signal: AbortSignal): AsyncGenerator<Event> {
  const deserted = new AbortController();
  const seen = { at: "" };
  const enough = AbortSignal.any([signal, deserted.signal]);
  const looking = lookAfter(runtime, id, seen, enough).finally(() => deserted.abort());
  looking.catch(() => {}); // thrown below
  try {
    for await (const event of runtime.events(id, after, enough)) {
      seen.at = event.occurredAt;
      yield event;
    }
  } finally {
    deserted.abort();
    await looking;
  }
}

/** Resolves when the spool has been ahead of the journal for a while: then nobody writes it down. */
async function lookAfter(runtime: Runtime, id: string, seen: { at: string }, signal: AbortSignal): Promise<void> {
  for (let ahead = ""; !signal.aborted;) {
    await wait(between, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    const { lastAt, state } = await runtime.summary(id);
    if (state === "lost" || (ahead !== "" && seen.at < ahead)) return;
    ahead = lastAt > seen.at ? lastAt : "";
  }
}

async function* drive(runtime: Runtime, id: string, after: number, signal: AbortSignal): AsyncGenerator<Event> {
  await using session = await runtime.attach(id);
  const letGo = (): void => void session[Symbol.asyncDispose]();
  signal.addEventListener("abort", letGo, { once: true });
  try {
    for await (const item of session.stream(after)) if ("body" in item) yield item;
  } catch (error) {
    if (!FairleadError.is(error, "fenced")) throw error;
  } finally {
    signal.removeEventListener("abort", letGo);
  }
}
