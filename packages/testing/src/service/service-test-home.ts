import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import { listSessions } from "@fairlead/api";
import type { Adapter, Event } from "@fairlead/contract";
import { Home } from "@fairlead/runtime";
import type { EventObserver } from "../../../service/src/event-observer.ts";
import { LocalFairlead } from "../../../service/src/local-fairlead.ts";
import type { LocalFairleadOptions } from "../../../service/src/local-fairlead-options.ts";
import { writeHistories } from "../runtime/write-histories.ts";
import type { HistoryOptions } from "../runtime/write-history.ts";

/** A data directory and a workspace for a test. Disposing it stops all sessions and removes both. */
export class ServiceTestHome implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), "fl-"));
  readonly home = new Home(join(this.folder, "h"));
  /** Not in the workspace: what the scripted agent remembers would be observed as its work, sooner or later. */
  readonly #stateFolder = mkdtempSync(join(tmpdir(), "fls-"));
  readonly environment = { ...process.env, XDG_STATE_HOME: this.#stateFolder };
  readonly #instances = new Set<LocalFairlead>();

  async open(
    observer?: EventObserver,
    installed: readonly Adapter[] = adapters,
    variables: Readonly<Record<string, string>> = {},
  ): Promise<LocalFairlead> {
    const environment = { ...this.environment, ...variables };
    return await this.openWith({ adapters: installed, environment, ...(observer && { observer }) });
  }

  async openWith(options: Partial<LocalFairleadOptions>): Promise<LocalFairlead> {
    const { home, environment } = this;
    const defaults = { home, adapters, environment, fallback: "scripted", version: "0.0.0" };
    const fairlead = await LocalFairlead.open({ ...defaults, ...options });
    this.#instances.add(fairlead);
    return fairlead;
  }

  /** Writes sessions into the journal, as processes did that are gone. */
  async writeHistories(histories: readonly HistoryOptions[]): Promise<void> {
    await writeHistories(this.home, histories);
  }

  async close(fairlead: LocalFairlead): Promise<void> {
    this.#instances.delete(fairlead);
    await fairlead[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const fairlead = [...this.#instances][0] ?? (await this.open());
    await fairlead.recovery;
    for await (const { session, state } of listSessions(fairlead, { order: "session" })) {
      if (state !== "ended") await fairlead.stop(session).catch(() => {});
    }
    for (const one of this.#instances) await one[Symbol.asyncDispose]();
    for (const folder of [this.folder, this.#stateFolder]) rmSync(folder, { recursive: true, force: true });
  }
}

export async function collectEventsUntil(
  fairlead: LocalFairlead,
  session: string,
  type: Event["body"]["type"],
  after = 0,
): Promise<Event[]> {
  const events: Event[] = [];
  for await (const one of fairlead.events(session, { after, follow: true })) {
    if (!("body" in one)) continue;
    events.push(one);
    if (one.body.type === type) break;
  }
  return events;
}

/** For tests of packages that do not depend on the adapters. */
export { adapters } from "@fairlead/adapters";
