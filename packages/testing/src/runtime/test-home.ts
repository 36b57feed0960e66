import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import type { Event } from "@fairlead/contract";
import { Home } from "../../../runtime/src/home.ts";
import { Runtime } from "../../../runtime/src/runtime.ts";
import type { RuntimeOptions } from "../../../runtime/src/runtime-options.ts";
import type { Session } from "../../../runtime/src/sessions/session.ts";

/** A data directory and a workspace for one test. Disposing ends all sessions and removes both. */
export class TestHome implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), "rt-"));
  readonly adapters = adapters;
  readonly home = new Home(join(this.folder, "h"));
  readonly environment = { ...process.env, XDG_STATE_HOME: this.folder, FAIRLEAD_SECRET: "secret" };
  readonly #runtimes = new AsyncDisposableStack();

  async open(options: Partial<RuntimeOptions> = {}): Promise<Runtime> {
    const { home, environment } = this;
    return this.#runtimes.use(await Runtime.open({ home, adapters, environment, ...options }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const runtime = await this.open();
    for await (const { session, state } of runtime.list()) {
      if (state === "ended") continue;
      const attached = await runtime.attach(session);
      await attached.end().catch(() => {});
      await eventsUntil(attached, "session.ended");
    }
    await this.#runtimes.disposeAsync();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Reads events up to the first one of a type. */
export async function eventsUntil(session: Session, type: Event["body"]["type"], after = 0): Promise<Event[]> {
  const events: Event[] = [];
  for await (const item of session.stream(after)) {
    if (!("body" in item)) continue;
    events.push(item);
    if (item.body.type === type) break;
  }
  return events;
}

export async function readJournal(runtime: Runtime, session: string): Promise<Event[]> {
  return await Array.fromAsync(runtime.events(session, 0));
}
