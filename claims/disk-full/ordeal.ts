import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import type { Event } from "@fairlead/contract";
import { openSqliteLog } from "@fairlead/journal";
import { withScript } from "@fairlead/kit";
import { Runtime, type Session } from "@fairlead/runtime";
import { Audience } from "./audience.ts";
import { Outlook } from "./outlook.ts";
import { SmallDisk } from "./small-disk.ts";
import { SmallDiskGround, type Held } from "./small-disk-ground.ts";
import { standstill } from "./standstill.ts";
import { until } from "./until.ts";

export interface OrdealOptions {
  readonly held: Held;
  /** What the agent says in all, and how much of it a second. */
  readonly lines: number;
  readonly rate: number;
  /** The disk is filled whenever so many events have been shown. */
  readonly fillings: readonly number[];
}

/** What came of it. */
export interface Outcome {
  /** Fillings at which all stood still that must, and after which it went on. */
  readonly standstills: number;
  readonly shown: readonly Event[];
  readonly stored: readonly Event[];
  /** What ended the watching before the turn was over; null when nothing did. */
  readonly failure: Error | null;
}

/** One session whose agent speaks all the while, on a disk that is full again and again. */
export async function ordeal({ held, lines, rate, fillings }: OrdealOptions): Promise<Outcome> {
  using disk = new SmallDisk(96);
  await using ground = new SmallDiskGround(disk.folder, held);
  const { home } = ground;
  const workspace = join(home.folder, "w");
  mkdirSync(workspace, { recursive: true });
  const environment = { ...ground.environment, XDG_STATE_HOME: home.folder };
  // The fold is kept again and again, so that it too meets the full disk.
  const keepEvery = { records: 20, bytes: 1e9 };
  await using runtime = await Runtime.open({ home, adapters, environment, keepEvery });
  await using journal = await openSqliteLog({ file: home.journal });
  const session = await runtime.start({ agent: "scripted", workspace });
  const audience = new Audience(session);
  await session.send(withScript("Go.", [{ flood: { lines, rate } }]));

  let standstills = 0;
  for (const at of fillings) {
    await until(`${at} events`, () => audience.shown.length >= at || audience.isOver);
    if (audience.isOver) break;
    const outlook = new Outlook(session.id, journal, audience);
    const before = await standstill({ held, disk, outlook, audience });
    if (before === null) break;
    const goesOn = (): boolean => outlook.written > before.written && audience.shown.length > before.shown;
    await until("all goes on", () => goesOn() || audience.isOver);
    if (goesOn()) standstills += 1;
  }
  const failure = await audience.left;
  if (failure === null) await end(session);
  const stored = await Array.fromAsync(runtime.events(session.id, 0));
  return { standstills, shown: audience.shown, stored, failure };
}

async function end(session: Session): Promise<void> {
  const { last } = session;
  await session.end();
  for await (const one of session.stream(last)) if ("body" in one && one.body.type === "session.ended") return;
}
