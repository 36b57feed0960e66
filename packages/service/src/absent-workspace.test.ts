import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionView, StartRequest } from "@fairlead/api";
import { withScript } from "@fairlead/kit";
import { collectEventsUntil, ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { expect, test, vi } from "vitest";
import type { LocalFairlead } from "./local-fairlead.ts";

const hello = withScript("Say.", [{ text: "Hello." }]);

async function pauseIn(fairlead: LocalFairlead, workspace: string, sandbox: StartRequest["sandbox"]): Promise<string> {
  const { session } = await fairlead.start({ workspace, sandbox, prompt: hello });
  await collectEventsUntil(fairlead, session, "turn.ended");
  await fairlead.pause(session);
  return session;
}

/** Nothing of a refused command is in the journal. The fingerprint of the transcript follows a pause. */
async function expectUntouched(fairlead: LocalFairlead, { session, last }: SessionView): Promise<void> {
  expect(await fairlead.session(session)).toMatchObject({ state: "paused", problem: null, queued: 0 });
  const events = await Array.fromAsync(fairlead.events(session, { after: last }));
  expect(
    events.flatMap((one) => ("body" in one ? [one.body.type] : [])).filter((type) => type !== "session.changed"),
  ).toEqual([]);
}

const withoutWorkspace = [
  ["is gone", "does not exist", () => {}],
  ["is a file", "is not a folder", (path: string) => writeFileSync(path, "")],
  ["is a link to nothing", "does not exist", (path: string) => symlinkSync(`${path}-missing`, path)],
] as const;

test.each(withoutWorkspace)(
  "a paused session whose workspace %s takes no message and stays paused until the workspace is back",
  async (_, words, replace) => {
    await using testHome = new ServiceTestHome();
    const fairlead = await testHome.open();
    const workspace = join(testHome.folder, "w");
    mkdirSync(workspace);
    const session = await pauseIn(fairlead, workspace, { kind: "none" });
    const before = await fairlead.session(session);
    renameSync(workspace, `${workspace}-away`);
    replace(workspace);
    const refused = {
      code: "conflict",
      message: `The workspace ${workspace} ${words}. Nothing was sent, and the session stays paused.`,
    };
    await expect(fairlead.resume(session)).rejects.toMatchObject(refused);
    await expect(fairlead.send(session, hello)).rejects.toMatchObject(refused);
    await expectUntouched(fairlead, before);
    // A keeper without an agent must not stay.
    const keeperFile = join(testHome.home.sessionFolder(session), "keeper.json");
    await vi.waitFor(() => expect(existsSync(keeperFile)).toBe(false), 10_000);

    rmSync(workspace, { force: true });
    renameSync(`${workspace}-away`, workspace);
    await fairlead.send(session, hello);
    const events = await collectEventsUntil(fairlead, session, "turn.ended", before.last);
    expect(events.at(-1)?.body).toMatchObject({ outcome: "completed" });
    expect(events.filter(({ body }) => body.type === "turn.started")).toHaveLength(1);
  },
);

test("a paused session whose workspace is a link to another folder now is not resumed there", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const [workspace, first, second] = ["link", "first", "second"].map((name) => join(testHome.folder, name));
  for (const folder of [first!, second!]) mkdirSync(folder);
  symlinkSync(first!, workspace!);
  const session = await pauseIn(fairlead, workspace!, { kind: "bwrap", network: "none" });
  const before = await fairlead.session(session);
  rmSync(workspace!);
  symlinkSync(second!, workspace!);
  const message = `The workspace ${workspace} now leads to ${second}. The session worked in ${first}. Nothing was sent, and the session stays paused.`;
  await expect(fairlead.resume(session)).rejects.toMatchObject({ code: "conflict", message });
  await expect(fairlead.send(session, hello)).rejects.toMatchObject({ code: "conflict", message });
  await expectUntouched(fairlead, before);
  rmSync(workspace!);
  symlinkSync(first!, workspace!);
  await fairlead.send(session, hello);
  const events = await collectEventsUntil(fairlead, session, "turn.ended", before.last);
  expect(events.at(-1)?.body).toMatchObject({ outcome: "completed" });
});
