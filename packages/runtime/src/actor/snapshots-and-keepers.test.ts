import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import { findViolations, type Event } from "@fairlead/contract";
import { openSqliteLog } from "@fairlead/journal";
import {
  readProcessIdentity,
  isProcessAlive,
  startKeeper,
  type KeeperConnection,
  type ProcessIdentity,
} from "@fairlead/keeper";
import { withScript } from "@fairlead/kit";
import { expect, test } from "vitest";
import { Home } from "../home.ts";
import { Runtime } from "../runtime.ts";
import type { RuntimeOptions } from "../runtime-options.ts";
import { findGatePrograms, findNetworks, findReadyNetwork } from "@fairlead/testing/keeper/find-gate-programs.ts";
import { startSessionOverKeeper } from "@fairlead/testing/runtime/session-over-keeper.ts";
import type { Session } from "../sessions/session.ts";
import type { Snapshot } from "./snapshot.ts";

interface SnapshotTestHome extends Disposable {
  readonly folder: string;
  readonly home: Home;
  open(options?: Partial<RuntimeOptions>): Promise<Runtime>;
}

function createTestHome(): SnapshotTestHome {
  const folder = mkdtempSync(join(tmpdir(), "kp-"));
  const home = new Home(join(folder, "h"));
  const environment = { ...process.env, XDG_STATE_HOME: folder };
  return {
    folder,
    home,
    open: (options) => Runtime.open({ home, adapters, environment, ...options }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function eventsUntil(session: Session, type: Event["body"]["type"], after = 0): Promise<Event[]> {
  const events: Event[] = [];
  for await (const item of session.stream(after)) {
    if (!("body" in item)) continue;
    events.push(item);
    if (item.body.type === type) break;
  }
  return events;
}

const flood = withScript("Go.", [{ flood: { lines: 2000, rate: 4000 } }]);

test("an actor that starts from a snapshot writes the same journal as one that starts from the first record", async () => {
  using testHome = createTestHome();
  const snapshotInterval = { records: 5, bytes: 1_000_000 };
  const first = await testHome.open({ snapshotInterval });
  const session = await first.start({ agent: "scripted", workspace: testHome.folder });
  await session.send(flood);
  for await (const item of session.stream()) if ("body" in item && item.sequence > 500) break;
  await first[Symbol.asyncDispose]();
  expect(existsSync(testHome.home.snapshotFile(session.id))).toBe(true);

  await using second = await testHome.open({ snapshotInterval });
  const attached = await second.attach(session.id);
  await eventsUntil(attached, "turn.ended");
  await attached.end();
  const events = await eventsUntil(attached, "session.ended");
  expect(findViolations(events, { complete: true })).toEqual([]);
  const texts = events.flatMap(({ body }) => (body.type === "text.ended" ? body.text : []));
  expect(texts).toEqual(Array.from({ length: 2000 }, (_, index) => `line ${index + 1}`));
});

test("the next session takes the spare keeper, and the runtime ends the spare when it is disposed", async () => {
  using testHome = createTestHome();
  const folder = testHome.home.sparesFolder;
  const findSpares = (): ProcessIdentity[] =>
    (existsSync(folder) ? readdirSync(folder) : []).flatMap((name) => {
      const file = join(folder, name, "keeper.json");
      return existsSync(file) ? [JSON.parse(readFileSync(file, "utf8")) as ProcessIdentity] : [];
    });
  let lastSpares: ProcessIdentity[];
  {
    await using runtime = await testHome.open({ keepSpareKeeper: true });
    await expect.poll(findSpares, { timeout: 10_000 }).toHaveLength(1);
    const [spare] = findSpares();
    const session = await runtime.start({ agent: "scripted", workspace: testHome.folder });
    const keeper = join(testHome.home.sessionFolder(session.id), "keeper.json");
    expect((JSON.parse(readFileSync(keeper, "utf8")) as ProcessIdentity).pid).toBe(spare?.pid);
    await session.send(withScript("Say.", [{ text: "Hello." }]));
    await eventsUntil(session, "turn.ended");
    await session.end();
    await eventsUntil(session, "session.ended");
    await expect.poll(findSpares, { timeout: 10_000 }).toHaveLength(1);
    lastSpares = findSpares();
  }
  await expect.poll(() => lastSpares.filter(isProcessAlive), { timeout: 10_000 }).toEqual([]);
});

test("after a session with a network gate, the spare keeper has one ready for the next", async () => {
  using testHome = createTestHome();
  await using runtime = await testHome.open({ keepSpareKeeper: true });
  const keeperOf = (folder: string): number => {
    const file = join(folder, "keeper.json");
    return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as ProcessIdentity).pid : 0;
  };
  const { sparesFolder } = testHome.home;
  const findSpareNetwork = (): string | null => {
    const names = existsSync(sparesFolder) ? readdirSync(sparesFolder) : [];
    return names.map((name) => findReadyNetwork(keeperOf(join(sparesFolder, name)))).find(Boolean) ?? null;
  };
  const sandbox = { kind: "bwrap", network: "gate" } as const;
  const workspace = join(testHome.folder, "workspace");
  mkdirSync(workspace);
  /** Runs a session. Returns whether its agent was in the given network. */
  const runSession = async (network: string | null): Promise<boolean> => {
    const session = await runtime.start({ agent: "scripted", workspace, sandbox });
    const keeper = keeperOf(testHome.home.sessionFolder(session.id));
    await session.send(withScript("Say.", [{ text: "Hello." }]));
    await eventsUntil(session, "turn.ended");
    const hasNetwork = findNetworks(keeper).includes(network);
    await expect.poll(() => findGatePrograms(keeper), { timeout: 10_000 }).toEqual([]);
    await session.end();
    await eventsUntil(session, "session.ended");
    return hasNetwork;
  };
  await runSession(null);
  // On a busy machine a launch can come before the spare has tried what it prepared.
  for (let tries = 5, hasNetwork = false; !hasNetwork; tries--) {
    expect(tries).toBeGreaterThan(0);
    await expect.poll(findSpareNetwork, { timeout: 10_000 }).not.toBeNull();
    hasNetwork = await runSession(findSpareNetwork());
  }
});

/** Wraps a connection so that the ack of a transcript note arrives only after the next `leave` is acknowledged. */
function delayTranscriptAck(keeper: KeeperConnection): { keeper: KeeperConnection; transcriptNoted: Promise<void> } {
  const transcriptNoted = Promise.withResolvers<void>();
  const leaveAcknowledged = Promise.withResolvers<void>();
  const send: KeeperConnection["send"] = async (request) => {
    if (request.do === "leave") return await keeper.send(request).finally(leaveAcknowledged.resolve);
    const ack = await keeper.send(request);
    if (!request.id.startsWith("transcript-")) return ack;
    transcriptNoted.resolve();
    await Promise.race([leaveAcknowledged.promise, keeper.closed]);
    return ack;
  };
  const { hello, features, wakes, closed } = keeper;
  const delayed: KeeperConnection = {
    hello,
    features,
    wakes,
    closed,
    send,
    attend: () => {},
    syncedSeq: 0, // like an older keeper, which does not report it
    [Symbol.asyncDispose]: () => keeper[Symbol.asyncDispose](),
  };
  return { keeper: delayed, transcriptNoted: transcriptNoted.promise };
}

test("a keeper exits if its session is released while a transcript note is on its way", async () => {
  using testHome = createTestHome();
  const { home } = testHome;
  mkdirSync(home.folder);
  const environment = { ...process.env, XDG_STATE_HOME: testHome.folder };
  const { keeper, transcriptNoted } = delayTranscriptAck(await startKeeper(home.sessionFolder("crossing")));
  const identity = readProcessIdentity(keeper.hello.pid) as ProcessIdentity;
  using _ = { [Symbol.dispose]: () => void (isProcessAlive(identity) && process.kill(identity.pid)) };
  await using journal = await openSqliteLog({ file: home.journalFile });
  const session = await startSessionOverKeeper({
    id: "crossing",
    home,
    journal,
    workspace: testHome.folder,
    environment,
    keeper,
  });
  await session.send(withScript("Say.", [{ text: "Hello." }]));
  await eventsUntil(session, "turn.ended");
  await session.pause();
  await transcriptNoted;
  await session[Symbol.asyncDispose]();
  await expect.poll(() => isProcessAlive(identity), { timeout: 5000 }).toBe(false);
});

test.each([
  ["cannot be written in any attempt, such as one that is too long, is left out", new RangeError("Invalid"), false],
  ["meets a full disk is tried again", Object.assign(new Error("ENOSPC"), { code: "ENOSPC" }), true],
])("a snapshot that %s, and the session continues", async (_, failure, isRetried) => {
  using testHome = createTestHome();
  const { folder, home } = testHome;
  const environment = { ...process.env, XDG_STATE_HOME: folder };
  mkdirSync(home.sessionFolder("s"), { recursive: true });
  const keeper = await startKeeper(home.sessionFolder("s"));
  await using journal = await openSqliteLog({ file: join(folder, "journal.db") });
  const attempts: number[] = [];
  const save = ({ upToSeq }: Snapshot): void => {
    attempts.push(upToSeq);
    if (attempts.length === 1) throw failure;
  };
  const snapshotStore = { load: () => null, save };
  const snapshotInterval = { records: 1, bytes: 1_000_000 };
  const options = { id: "s", home, journal, workspace: folder, environment, keeper, snapshotStore, snapshotInterval };
  const session = await startSessionOverKeeper(options);
  await session.send(withScript("Say.", [{ text: "Hello." }]));
  await eventsUntil(session, "turn.ended");
  await session.end();
  await eventsUntil(session, "session.ended");
  await session[Symbol.asyncDispose]();
  expect(attempts.length).toBeGreaterThan(2);
  expect(attempts[1] === attempts[0]).toBe(isRetried);
});
