import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { eventsUntil, Ground } from "./ground-for-test.ts";
import type { LocalFairlead } from "./local-fairlead.ts";

let ground: Ground;
beforeEach(() => (ground = new Ground()));
afterEach(() => ground[Symbol.asyncDispose]());

const secret = "a word that nobody says twice";
const script = `SCRIPT:${JSON.stringify([{ text: secret }])}`;

/** A session that has said the word, under the key of its name. */
async function spoken(fairlead: LocalFairlead, name: string): Promise<string> {
  const order = { workspace: ground.folder, name, prompt: script };
  const { session } = await fairlead.start(order, { key: name });
  await eventsUntil(fairlead, session, "turn.ended");
  return session;
}

function holdersOfTheSecret(): string[] {
  const files = globSync("**", { cwd: ground.home.folder, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map((entry) => join(entry.parentPath, entry.name)).filter((file) => readFileSync(file).includes(secret));
}

it("forgets what has ended, and leaves no word of it behind", async () => {
  const fairlead = await ground.open();
  const session = await spoken(fairlead, "gone");
  await fairlead.stop(session);
  await fairlead.forget("gone", { key: "forget" });
  await fairlead.forget("gone", { key: "forget" }); // once more, as after a lost answer

  await expect(fairlead.session(session)).rejects.toMatchObject({ code: "session-not-found" });
  expect([...(await fairlead.sessions()), ...(await fairlead.usage())]).toEqual([]);
  expect(existsSync(ground.home.session(session))).toBe(false);
  const again = fairlead.start({ workspace: ground.folder, name: "gone", prompt: script }, { key: "gone" });
  await expect(again).rejects.toMatchObject({ code: "session-not-found" });
  await ground.close(fairlead);
  expect(holdersOfTheSecret()).toEqual([]);
});

it("never touches what has not ended, nor anything of the others; and what comes next finds all in order", async () => {
  const fairlead = await ground.open();
  const [ended, paused, idle, gone] = await Promise.all(
    ["ended", "paused", "idle", "gone"].map((name) => spoken(fairlead, name)),
  );
  if (!ended || !paused || !idle || !gone) throw new Error("There are four.");
  await fairlead.pause(paused);
  for (const session of [ended, gone]) await fairlead.stop(session);
  for (const session of [paused, idle]) {
    await expect(fairlead.forget(session)).rejects.toMatchObject({ code: "conflict" });
  }
  const story = async (one: LocalFairlead): Promise<unknown[]> =>
    await Promise.all([ended, paused, idle].map((session) => Array.fromAsync(one.events(session))));
  const before = await story(fairlead);
  await fairlead.forget(gone);
  expect(await story(fairlead)).toEqual(before);
  expect(holdersOfTheSecret()).not.toEqual([]);
  await ground.close(fairlead);

  const next = await ground.open();
  expect((await next.recovered).failures).toEqual([]);
  expect((await next.sessions()).map(({ name }) => name ?? "").toSorted()).toEqual(["ended", "idle", "paused"]);
  expect(await story(next)).toEqual(before);
  for (const session of [paused, idle]) {
    const { last } = await next.session(session);
    await next.send(session, script);
    expect((await eventsUntil(next, session, "turn.ended", last)).length).toBeGreaterThan(2);
  }
});
