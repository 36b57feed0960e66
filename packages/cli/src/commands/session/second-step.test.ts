import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { TestCli } from "@fairlead/testing/cli/test-cli.ts";

const slow = 'SCRIPT:[{"text":"one two","chunks":2,"chunkDelay":60000}]';
const reply = 'SCRIPT:[{"text":"Good day."}]';

async function start(cli: TestCli, prompt: string, ...words: readonly string[]): Promise<string> {
  return (await cli.run(["run", "scripted", "--detach", ...words, prompt])).out.trim();
}

test("a stop says how many queued messages were not processed", async () => {
  await using cli = new TestCli();
  const id = await start(cli, slow);
  for (const text of ["two", "three"]) await cli.run(["send", id, text]);
  const { out } = await cli.run(["stop", id]);
  expect(out).toBe(`${id}  The session was stopped. 2 queued messages were not processed: fairlead logs ${id}\n`);
  expect(await cli.json("stop", id)).toEqual([
    { session: id, already: true, reason: "stopped", exit: expect.anything() as object, returned: 0 },
  ]);
});

test("a session with a damaged journal is stopped, and says so, as often as it is asked", async () => {
  await using cli = new TestCli();
  const id = await start(cli, slow);
  await cli.run(["down"]);
  {
    using database = new DatabaseSync(join(cli.home, "journal.db"), { timeout: 10_000 });
    const newest = "(SELECT max(id) FROM frames WHERE session = ?)";
    database.prepare(`UPDATE frames SET data = x'00' WHERE id = ${newest}`).run(id);
  }
  for (const beginning of ["", "Already ended: "]) {
    const { code, out, err } = await cli.run(["stop", id]);
    expect([code, out.startsWith(`${id}  ${beginning}The session `), err]).toEqual([0, true, ""]);
  }
});

test("a resume with less history is refused while messages are queued", async () => {
  await using cli = new TestCli();
  const id = await start(cli, slow);
  await cli.run(["send", id, reply]);
  await cli.run(["pause", id]);
  for (const option of ["--fresh", "--rebuild"]) {
    const { code, err } = await cli.run(["resume", id, option, reply]);
    expect([code, err]).toEqual([2, expect.stringContaining(`${id} keeps 1 queued message`)]);
  }
  expect(await cli.json("ls")).toMatchObject([{ session: id, state: "paused", queued: 1 }]);
});

test("a continuation says who has the name of the session that it continues", async () => {
  await using cli = new TestCli();
  const first = await start(cli, reply, "--name", "fix");
  await cli.run(["stop", first]);
  const second = await start(cli, reply, "--name", "fix");
  const { out } = await cli.run(["resume", first, reply]);
  expect(out).toContain(`The name "fix" belongs to ${second}.`);
});

test("the log shows the edited input with which a call ran", async () => {
  await using cli = new TestCli();
  const id = await start(cli, 'SCRIPT:[{"tools":[{"name":"run","input":{"command":"echo one"}}]}]');
  while (!(await cli.run(["status"])).out.includes("echo one")) continue;
  await cli.run(["approve", id, "--input", '{"command":"echo two"}']);
  expect((await cli.run(["logs", id])).out).toMatch(/with edited input: .*echo two/);
});
