import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import { lawful, type Event } from "@fairlead/contract";
import { openSqliteLog } from "@fairlead/journal";
import { identity, isAlive, startKeeper, type KeeperConnection, type ProcessIdentity } from "@fairlead/keeper";
import { withScript } from "@fairlead/kit";
import { expect, test } from "vitest";
import { Home } from "./home.ts";
import { Runtime, type RuntimeOptions } from "./runtime.ts";
import { beginSession } from "./session-over-keeper-for-test.ts";
import type { Session } from "./session.ts";

function ground(): { folder: string; open(options?: Partial<RuntimeOptions>): Promise<Runtime> } & Disposable {
  const folder = mkdtempSync(join(tmpdir(), "kp-"));
  const environment = { ...process.env, XDG_STATE_HOME: folder };
  return {
    folder,
    open: (options) => Runtime.open({ home: new Home(join(folder, "h")), adapters, environment, ...options }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function until(session: Session, type: Event["body"]["type"], after = 0): Promise<Event[]> {
  const events: Event[] = [];
  for await (const one of session.stream(after)) {
    if (!("body" in one)) continue;
    events.push(one);
    if (one.body.type === type) break;
  }
  return events;
}

const flood = withScript("Go.", [{ flood: { lines: 2000, rate: 4000 } }]);

test("a fold that was kept gives the same journal as one that began at the beginning", async () => {
  using place = ground();
  const keepEvery = { records: 5, bytes: 1_000_000 };
  const first = await place.open({ keepEvery });
  const session = await first.start({ agent: "scripted", workspace: place.folder });
  await session.send(flood);
  for await (const one of session.stream()) if ("body" in one && one.sequence > 500) break;
  await first[Symbol.asyncDispose]();
  expect(existsSync(join(place.folder, "h/sessions", session.id, "fold.json"))).toBe(true);

  await using second = await place.open({ keepEvery });
  const attached = await second.attach(session.id);
  await until(attached, "turn.ended");
  await attached.end();
  const events = await until(attached, "session.ended");
  expect(lawful(events, { whole: true })).toEqual([]);
  const said = events.flatMap(({ body }) => (body.type === "text.ended" ? body.text : []));
  expect(said).toEqual(Array.from({ length: 2000 }, (_, at) => `line ${at + 1}`));
});

test("a spare keeper waits, is taken by the next session, and is let go of with the runtime", async () => {
  using place = ground();
  const spares = join(place.folder, "h/spares");
  const waiting = (): ProcessIdentity[] =>
    (existsSync(spares) ? readdirSync(spares) : []).flatMap((name) => {
      const file = join(spares, name, "keeper.json");
      return existsSync(file) ? [JSON.parse(readFileSync(file, "utf8")) as ProcessIdentity] : [];
    });
  let last: ProcessIdentity[];
  {
    await using runtime = await place.open({ spares: true });
    await expect.poll(waiting, { timeout: 10_000 }).toHaveLength(1);
    const [spare] = waiting();
    const session = await runtime.start({ agent: "scripted", workspace: place.folder });
    const keeper = join(place.folder, "h/sessions", session.id, "keeper.json");
    expect((JSON.parse(readFileSync(keeper, "utf8")) as ProcessIdentity).pid).toBe(spare?.pid);
    await session.send(withScript("Say.", [{ text: "Hello." }]));
    await until(session, "turn.ended");
    await session.end();
    await until(session, "session.ended");
    await expect.poll(waiting, { timeout: 10_000 }).toHaveLength(1);
    last = waiting();
  }
  await expect.poll(() => last.filter(isAlive), { timeout: 10_000 }).toEqual([]);
});

/** A connection on which the word that a transcript was noted arrives only after the next `leave` was answered. */
function crossing(keeper: KeeperConnection): { keeper: KeeperConnection; noted: Promise<void> } {
  const noted = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  const send: KeeperConnection["send"] = async (frame) => {
    if (frame.do === "leave") return await keeper.send(frame).finally(left.resolve);
    const ack = await keeper.send(frame);
    if (!frame.id.startsWith("transcript-")) return ack;
    noted.resolve();
    await Promise.race([left.promise, keeper.closed]);
    return ack;
  };
  const { hello, features, wakes, closed } = keeper;
  const between: KeeperConnection = {
    hello,
    features,
    wakes,
    closed,
    send,
    synced: 0, // it does not say, like an older one
    [Symbol.asyncDispose]: () => keeper[Symbol.asyncDispose](),
  };
  return { keeper: between, noted: noted.promise };
}

test("the keeper of a session that is let go of while its transcript is noted is not left behind", async () => {
  using place = ground();
  const home = new Home(join(place.folder, "h"));
  mkdirSync(home.folder);
  const environment = { ...process.env, XDG_STATE_HOME: place.folder };
  const { keeper, noted } = crossing(await startKeeper(home.session("crossing")));
  const known = identity(keeper.hello.pid) as ProcessIdentity;
  using _ = { [Symbol.dispose]: () => void (isAlive(known) && process.kill(known.pid)) };
  await using journal = await openSqliteLog({ file: home.journal });
  const session = await beginSession({ id: "crossing", home, journal, workspace: place.folder, environment, keeper });
  await session.send(withScript("Say.", [{ text: "Hello." }]));
  await until(session, "turn.ended");
  await session.pause();
  await noted;
  await session[Symbol.asyncDispose]();
  await expect.poll(() => isAlive(known), { timeout: 5000 }).toBe(false);
});
