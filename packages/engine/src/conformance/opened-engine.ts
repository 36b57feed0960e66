import { getEventListeners } from "node:events";
import { expect } from "vitest";
import type { Engine } from "../engine.ts";

/** A part of an engine. The suite disposes it: that closes the engine, as the end of its process would. */
export type OpenedEngine<Part extends keyof Engine> = Pick<Engine, Part> & AsyncDisposable;
/** Opens an engine with empty storage. */
export type OpenPart<Part extends keyof Engine> = () => Promise<OpenedEngine<Part>>;
/** Opens a second engine on the storage of the first, as another process would. The first may be open or closed. */
export type ReopenPart<Part extends keyof Engine> = (engine: OpenedEngine<Part>) => Promise<OpenedEngine<Part>>;

/** Engines that share their storage, as those of several processes do. */
export interface SharedEngines<Part extends keyof Engine> extends AsyncDisposable {
  readonly first: OpenedEngine<Part>;
  readonly second: OpenedEngine<Part>;
  readonly third: OpenedEngine<Part>;
}

/** Opens three engines on one storage. Without `reopen`, all three are the same: one process that does everything. */
export async function openShared<Part extends keyof Engine>(
  open: OpenPart<Part>,
  reopen: ReopenPart<Part> | undefined,
): Promise<SharedEngines<Part>> {
  await using opened = new AsyncDisposableStack();
  const first = opened.use(await open());
  const second = reopen === undefined ? first : opened.use(await reopen(first));
  const third = reopen === undefined ? first : opened.use(await reopen(first));
  const all = opened.move();
  return { first, second, third, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** A signal that ends a test that would hang, so that the comparison shows what is missing. */
export function createSuiteDeadline(): AbortSignal {
  return AbortSignal.timeout(60_000);
}

/** A signal may live as long as the process: each listener that stays on it is a leak. */
export function expectNoListeners(signal: AbortSignal): void {
  expect(getEventListeners(signal, "abort")).toEqual([]);
}
