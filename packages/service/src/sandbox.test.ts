import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FairleadError, type ErrorCode, type EventOf, type Opening } from "@fairlead/contract";
import { adapters, collectEventsUntil, ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { expect, test } from "vitest";

const withCode = (code: ErrorCode) => (error: unknown) => FairleadError.is(error, code);

test("a session in a sandbox does not see the data directory, and its events and view say what it has", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  writeFileSync(join(testHome.home.folder, "tokens"), "secret token");
  const sandbox = { kind: "bwrap", network: "none" } as const;
  const view = await fairlead.start({ agent: "shell", workspace: testHome.folder, sandbox });
  expect(view.sandbox).toMatchObject({ ...sandbox, workspace: "write" });
  const script = `ls -a ${testHome.home.folder}; cat ${testHome.home.folder}/tokens`;
  await fairlead.send(view.session, script);
  const events = await collectEventsUntil(fairlead, view.session, "turn.ended");
  expect(events[0]?.body).toMatchObject({
    type: "session.started",
    sandbox: { hides: expect.arrayContaining([testHome.home.folder]) },
  });
  const output = (all: typeof events): string =>
    JSON.stringify(all.flatMap(({ body }) => (body.type === "tool.ended" ? body.output : [])));
  expect(output(events)).not.toMatch(/tokens\\n|secret token|sessions/);

  const open = await fairlead.start({ agent: "shell", workspace: testHome.folder, sandbox: { kind: "none" } });
  await fairlead.send(open.session, script);
  expect(output(await collectEventsUntil(fairlead, open.session, "turn.ended"))).toContain("secret token");
  expect(open.sandbox.kind).toBe("none");
});

test("a resumed, continued or forked session keeps its sandbox", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const sandbox = { kind: "bwrap", workspace: "read", network: "none" } as const;
  const { session } = await fairlead.start({ agent: "shell", workspace: testHome.folder, sandbox });
  await fairlead.send(session, "true");
  await collectEventsUntil(fairlead, session, "turn.ended");
  await fairlead.stop(session);
  const next = await fairlead.resume(session, { outcome: "fresh" });
  expect(next.session).not.toBe(session);
  expect(next.sandbox).toMatchObject(sandbox);
  await fairlead.send(next.session, "touch written");
  const events = await collectEventsUntil(fairlead, next.session, "turn.ended");
  expect(JSON.stringify(events)).toContain("Read-only file system");
  expect((await fairlead.fork(next.session, { outcome: "fresh" })).sandbox).toMatchObject(sandbox);
});

test("a caller who may not approve cannot start an agent without a sandbox", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const request = { agent: "scripted", workspace: testHome.folder, approvalsRequired: true } as const;
  await expect(fairlead.start({ ...request, sandbox: { kind: "none" } })).rejects.toSatisfy(withCode("not-allowed"));
});

test("a home is not a workspace for a sandbox, because startup files could be created in it", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open(undefined, undefined, { HOME: join(testHome.folder, "home") });
  const request = { agent: "shell", workspace: testHome.folder } as const;
  const refused = { code: "not-allowed", message: expect.stringContaining("--sandbox none") as string };
  await expect(fairlead.start({ ...request, sandbox: { kind: "bwrap" } })).rejects.toMatchObject(refused);
  // A sandbox that is the default is refused as well: the session does not run open without a word.
  writeFileSync(testHome.home.configFile, JSON.stringify({ sandbox: { "/": { kind: "bwrap" } } }));
  await expect(fairlead.start(request)).rejects.toMatchObject(refused);
  expect((await fairlead.start({ ...request, sandbox: { kind: "none" } })).sandbox.kind).toBe("none");
});

test("a link that an agent laid at an opening is not followed, and no opening shows the data directory", async () => {
  await using testHome = new ServiceTestHome();
  const [workspace, userHome] = [join(testHome.folder, "w"), join(testHome.folder, "home")];
  mkdirSync(join(userHome, ".ssh"), { recursive: true });
  mkdirSync(workspace);
  writeFileSync(join(userHome, ".ssh/key"), "secret key");
  symlinkSync(join(userHome, ".ssh"), join(workspace, "out"));
  const fairlead = await testHome.open(undefined, undefined, { HOME: userHome });
  const configure = (path: string): void =>
    writeFileSync(
      testHome.home.configFile,
      JSON.stringify({ sandbox: { [workspace]: { writes: [path], shows: [path] } } }),
    );
  const start = () => fairlead.start({ agent: "shell", workspace, sandbox: { kind: "bwrap" } });
  configure(join(workspace, "out"));
  const { session } = await start();
  await fairlead.send(session, "cat out/key; echo x > out/added");
  expect(JSON.stringify(await collectEventsUntil(fairlead, session, "turn.ended"))).not.toContain("secret key");
  expect(readdirSync(join(userHome, ".ssh"))).toEqual(["key"]);
  for (const path of [
    "/",
    userHome,
    `${userHome}/`,
    testHome.folder,
    testHome.home.folder,
    join(testHome.home.folder, "sessions"),
    "relative",
  ]) {
    configure(path);
    await expect(start()).rejects.toSatisfy(withCode("invalid-settings"));
  }
  // A file that is not valid could have chosen a sandbox. A caller who asks for none does not depend on it.
  await expect(fairlead.start({ agent: "shell", workspace })).rejects.toSatisfy(withCode("invalid-settings"));
  const open = { agent: "shell", workspace, sandbox: { kind: "none" } } as const;
  expect((await fairlead.start(open)).sandbox.kind).toBe("none");
  configure("/usr");
  const inside = { agent: "shell", workspace: testHome.home.folder, sandbox: { kind: "bwrap" } } as const;
  await expect(fairlead.start(inside)).rejects.toSatisfy(withCode("not-allowed"));
});

test("a session that asks for nothing has a sandbox, and is refused in the user's home", async () => {
  await using testHome = new ServiceTestHome();
  const [workspace, userHome] = [join(testHome.folder, "w"), join(testHome.folder, "home")];
  for (const folder of [workspace, userHome]) mkdirSync(folder);
  const fairlead = await testHome.open(undefined, undefined, { HOME: userHome });
  const { sandbox } = await fairlead.start({ agent: "shell", workspace });
  expect(sandbox).toMatchObject({ kind: "bwrap", workspace: "write", network: "open" });
  await expect(fairlead.start({ agent: "shell", workspace: userHome })).rejects.toSatisfy(withCode("not-allowed"));
});

test("the user's configuration chooses the sandbox of a session that asks for nothing", async () => {
  await using testHome = new ServiceTestHome();
  const workspace = join(testHome.folder, "w");
  mkdirSync(workspace);
  const fairlead = await testHome.open(undefined, undefined, { HOME: join(testHome.folder, "home") });
  const configure = (sandbox: object): void => writeFileSync(testHome.home.configFile, JSON.stringify({ sandbox }));
  const kindOf = async (sandbox?: { kind: "bwrap" | "none" } | { network: "none" }): Promise<string> =>
    (await fairlead.start({ agent: "shell", workspace, ...(sandbox && { sandbox }) })).sandbox.kind;
  configure({ "/": { kind: "none" }, [workspace]: { kind: "bwrap" } });
  expect(await kindOf()).toBe("bwrap");
  expect(await kindOf({ kind: "none" })).toBe("none");
  configure({ "/": { kind: "bwrap" }, [workspace]: { kind: "none" } });
  expect(await kindOf()).toBe("none");
  expect(await kindOf({ kind: "bwrap" })).toBe("bwrap");
  expect(await kindOf({ network: "none" })).toBe("bwrap");
});

test("an agent does not see the files of other agents, whatever its own version is", async () => {
  await using testHome = new ServiceTestHome();
  const [workspace, userHome] = [join(testHome.folder, "w"), join(testHome.folder, "home")];
  for (const folder of [workspace, userHome]) mkdirSync(folder);
  const fairlead = await testHome.open(undefined, undefined, {
    HOME: userHome,
    XDG_STATE_HOME: join(userHome, "state"),
  });
  const view = await fairlead.start({ agent: "shell", workspace, sandbox: { kind: "bwrap" } });
  const [started] = await collectEventsUntil(fairlead, view.session, "session.started");
  const { hides } = (started!.body as EventOf<"session.started">).sandbox!;
  const opening = { settings: {}, probeResult: { version: null, flags: [] } } as unknown as Opening;
  const files = adapters.flatMap((adapter) => adapter.needs?.(opening, { HOME: userHome }).writes ?? []);
  expect(files.length).toBeGreaterThan(8);
  expect(
    files.map((path) => path.replace(/\/$/, "")).filter((path) => !path.includes("/state/") && !hides.includes(path)),
  ).toEqual([]);
});
