import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { adoptKeeper } from "./adopt-keeper.ts";
import { findKeeper } from "./find-keeper.ts";
import { TestKeeper } from "@fairlead/testing/keeper/test-keeper.ts";
import { readProcessIdentity } from "./process/process-identity.ts";
import { shellCommand, until } from "@fairlead/testing/keeper/test-session-folder.ts";

test("turns a spare keeper into a session's keeper, with its spool and session name in the new folder", async () => {
  await using session = new TestKeeper();
  await using spare = await session.start();
  const spareFolder = session.folder;
  await spare.send({ do: "launch", id: "0", command: shellCommand("echo $FAIRLEAD_SESSION") });
  await session.exit(1);
  session.folder = `${spareFolder}-adopted`;
  await using keeper = await adoptKeeper(spareFolder, session.folder);
  expect(keeper.hello.pid).toBe(spare.hello.pid);
  expect(existsSync(spareFolder)).toBe(false);
  await keeper.send({ do: "launch", id: "1", command: shellCommand("echo $FAIRLEAD_SESSION") });
  await session.exit(2);
  expect(session.text("out")).toBe(`${basename(spareFolder)}\n${basename(session.folder)}\n`);
  const connection = await findKeeper(session.folder);
  expect(connection).not.toBe("gone");
  if (connection !== "gone") await connection[Symbol.asyncDispose]();

  await keeper.send({ do: "leave", id: "bye" });
  await until(() => readProcessIdentity(keeper.hello.pid) === null);
  expect(readdirSync(session.folder)).toEqual(["spool"]);
});

test("does not overwrite an existing session folder, even an empty one, and leaves the spare keeper running", async () => {
  await using session = new TestKeeper();
  await using spare = await session.start();
  const existingFolder = join(session.folder, "..", `${basename(session.folder)}-existing`);
  mkdirSync(existingFolder);
  using _ = { [Symbol.dispose]: () => rmSync(existingFolder, { recursive: true }) };
  await expect(adoptKeeper(session.folder, existingFolder)).rejects.toThrow("EEXIST");
  await expect(adoptKeeper(join(session.folder, "no-such"), `${existingFolder}2`)).rejects.toThrow("ENOENT");
  expect(existsSync(`${existingFolder}2`)).toBe(false);
  expect(readdirSync(existingFolder)).toEqual([]);
  await spare.send({ do: "note", id: "still there", text: "" });
});
