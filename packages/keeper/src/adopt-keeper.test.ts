import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { adoptKeeper } from "./adopt-keeper.ts";
import { findKeeper } from "./find-keeper.ts";
import { KeeperForTest } from "./keeper-for-test.ts";
import { identity } from "./process-identity.ts";
import { shell, until } from "./session-for-test.ts";

test("a spare keeper becomes a session's: it spools there, tells its agents so, and leaves nothing behind", async () => {
  await using session = new KeeperForTest();
  await using spare = await session.start();
  const waiting = session.folder;
  await spare.send({ do: "launch", id: "0", line: shell("echo $FAIRLEAD_SESSION") });
  await session.exit(1);
  session.folder = `${waiting}-adopted`;
  await using keeper = await adoptKeeper(waiting, session.folder);
  expect(keeper.hello.pid).toBe(spare.hello.pid);
  expect(existsSync(waiting)).toBe(false);
  await keeper.send({ do: "launch", id: "1", line: shell("echo $FAIRLEAD_SESSION") });
  await session.exit(2);
  expect(session.text("out")).toBe(`${basename(waiting)}\n${basename(session.folder)}\n`);
  const found = await findKeeper(session.folder);
  expect(found).not.toBe("gone");
  if (found !== "gone") await found[Symbol.asyncDispose]();

  await keeper.send({ do: "leave", id: "bye" });
  await until(() => identity(keeper.hello.pid) === null);
  expect(readdirSync(session.folder)).toEqual(["spool"]);
});

test("a session that exists is not overwritten, be its folder empty, and the spare waits on", async () => {
  await using session = new KeeperForTest();
  await using spare = await session.start();
  const taken = join(session.folder, "..", `${basename(session.folder)}-taken`);
  mkdirSync(taken);
  using _ = { [Symbol.dispose]: () => rmSync(taken, { recursive: true }) };
  await expect(adoptKeeper(session.folder, taken)).rejects.toThrow("EEXIST");
  await expect(adoptKeeper(join(session.folder, "no-such"), `${taken}2`)).rejects.toThrow("ENOENT");
  expect(existsSync(`${taken}2`)).toBe(false);
  expect(readdirSync(taken)).toEqual([]);
  await spare.send({ do: "note", id: "still there", text: "" });
});
