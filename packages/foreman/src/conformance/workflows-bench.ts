import { randomUUID } from "node:crypto";
import type { WorkflowBodies, WorkflowContext, Workflows } from "../workflows/workflows.ts";

/** An engine that a test can end like a crash. */
export interface TestEngine {
  readonly workflows: Workflows;
  /** Ends the engine. Nothing that its bodies or steps do after that reaches the storage. */
  kill(): Promise<void>;
  /** Lets the other engines see the engine as dead, although it still runs. Undefined if the engine cannot be mistaken for dead. */
  readonly declareDead?: () => void;
}

/** The storage of an engine, empty at first, and its time. */
export interface WorkflowsBench extends AsyncDisposable {
  /** Opens an engine on the storage. */
  open(bodies: WorkflowBodies): Promise<TestEngine>;
  /** Milliseconds since 1970, as the engine sees them. */
  now(): number;
  /** Lets time pass. */
  advance(milliseconds: number): Promise<void>;
}

export type OpenBench = () => Promise<WorkflowsBench>;

/** An id that no other test uses: a bench may be over a server that keeps its runs. */
export function newRunId(): string {
  return `run-${randomUUID()}`;
}

/** Counts the executions of steps by key. */
export class StepCounter {
  readonly counts = new Map<string, number>();

  /** The body of a step that counts and returns a value. */
  readonly count = async ({ key }: { readonly key: string }): Promise<string> => {
    const name = key.slice(key.indexOf(":") + 1);
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
    return `did ${name}`;
  };
}

/** A point that a test waits for, and lets pass. */
export class Gate {
  readonly #reached = Promise.withResolvers<void>();
  readonly #opened = Promise.withResolvers<void>();

  /** Resolves when `pass` was called. */
  get reached(): Promise<void> {
    return this.#reached.promise;
  }

  open(): void {
    this.#opened.resolve();
  }

  /** Waits until the gate is open. Throws the signal's reason if that aborts first. */
  async pass(signal?: AbortSignal): Promise<void> {
    this.#reached.resolve();
    const aborted = Promise.withResolvers<void>();
    const onAbort = (): void => aborted.reject(signal?.reason as Error);
    if (signal?.aborted) onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
    await Promise.race([this.#opened.promise, aborted.promise]);
  }
}

/** Reads the time in a step, as bodies must. */
export async function readTime(context: WorkflowContext, bench: WorkflowsBench): Promise<number> {
  return await context.step("now", () => Promise.resolve(bench.now()));
}
