import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openLocalEngine } from "@fairlead/engine";
import { indexRow } from "@fairlead/testing/nats/index-rows.ts";
import { expect, test } from "vitest";
import { findOpenSession } from "./find-host.ts";

test("finds a session that has not ended, also one that is paused, by its id, its name and the beginning of its id", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "find-"));
  await using engine = await openLocalEngine({
    journalFile: join(folder.path, "journal.db"),
    indexFile: join(folder.path, "index.db"),
    indexContentVersion: 1,
    tokensFile: join(folder.path, "tokens.json"),
    objectsFolder: join(folder.path, "objects"),
  });
  const paused = { name: "resting", state: "paused", unfinished: false };
  await engine.index.put(indexRow("t1", paused));
  await engine.index.put(indexRow("s1", { name: "busy" }));
  for (const wanted of ["resting", "t1", "t"])
    expect(await findOpenSession(engine, wanted)).toMatchObject({ session: "t1" });
  for (const wanted of ["busy", "s1", "s"])
    expect(await findOpenSession(engine, wanted)).toMatchObject({ session: "s1" });
  await engine.index.put(indexRow("t2", paused));
  await expect(findOpenSession(engine, "t")).rejects.toThrow("Several open sessions begin with t");
  for (const session of ["t1", "t2"]) await engine.index.put(indexRow(session, { ...paused, state: "ended", last: 2 }));
  for (const wanted of ["resting", "t1", "t"])
    await expect(findOpenSession(engine, wanted)).rejects.toThrow(`No open session is ${wanted}`);
});
