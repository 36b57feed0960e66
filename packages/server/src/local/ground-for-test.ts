import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import type { Event } from "@fairlead/contract";
import { Home } from "@fairlead/runtime";
import type { Observer } from "../watch/observer.ts";
import { LocalFairlead } from "./local-fairlead.ts";

/** A home and a workspace that are gone, with whatever still runs in them, when the test is over. */
export class Ground implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), "fl-"));
  readonly home = new Home(join(this.folder, "h"));
  readonly environment = { ...process.env, XDG_STATE_HOME: this.folder };
  readonly #open = new Set<LocalFairlead>();

  async open(observer?: Observer): Promise<LocalFairlead> {
    const { home, environment } = this;
    const told = { home, adapters, environment, fallback: "scripted", version: "0.0.0" };
    const fairlead = await LocalFairlead.open({ ...told, ...(observer && { observer }) });
    this.#open.add(fairlead);
    return fairlead;
  }

  async close(fairlead: LocalFairlead): Promise<void> {
    this.#open.delete(fairlead);
    await fairlead[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const fairlead = [...this.#open][0] ?? (await this.open());
    await fairlead.recovered;
    for (const { session, state } of await fairlead.sessions()) {
      if (state !== "ended") await fairlead.stop(session).catch(() => {});
    }
    for (const one of this.#open) await one[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export async function eventsUntil(
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
