import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TestCli } from "@fairlead/testing/cli/test-cli.ts";
import { expect, it } from "vitest";

const script = (...commands: readonly string[]): string =>
  `Run. SCRIPT:${JSON.stringify(commands.map((command) => ({ tools: [{ name: "run", input: { command } }] })))}`;

it("starts a session in a room, and shows its files and changes by room", async () => {
  await using cli = new TestCli();
  for (const folder of ["web/admin", "docs"]) mkdirSync(join(cli.workspace, folder), { recursive: true });
  writeFileSync(join(cli.workspace, "fairlead.yaml"), "rooms:\n  web: web\n  admin: web/admin\n  docs: [docs, a.md]\n");
  execFileSync("git", ["init", "-q"], { cwd: cli.workspace });
  const unknown = await cli.run(["run", "scripted", "--room", "webb", "hi"]);
  expect(unknown).toMatchObject({ code: 2 });
  expect(unknown.err).toContain('There is no room "webb". Rooms of fairlead.yaml: web, admin, docs.');

  const write = "echo a > web/a.txt; echo b > web/admin/b.txt; echo c > docs/c.txt; echo d > d.txt";
  await cli.run(["run", "scripted", "-d", "-n", "one", "--room", "web", "--mode", "full-auto", script(write)]);
  await cli.run(["wait", "one", "--timeout", "60s"]);
  const [view] = await cli.json("ls");
  expect(view).toMatchObject({ room: "web" });

  const { out: files } = await cli.run(["files", "one"]);
  for (const line of [/^web +created +web\/a\.txt/m, /^admin +created +web\/admin\/b\.txt/m, /^- +created +d\.txt/m])
    expect(files).toMatch(line);
  // Each room has its own changes: those of a room within it are not its own.
  const changes = async (...words: readonly string[]): Promise<string[]> =>
    [...(await cli.run(["diff", "one", ...words])).out.matchAll(/^\+\+\+ b\/(.*)$/gm)].map(([, path]) => path ?? "");
  expect(await changes()).toEqual(["d.txt", "docs/c.txt", "web/a.txt", "web/admin/b.txt"]);
  expect(await changes("--room", "web")).toEqual(["web/a.txt"]);
  expect(await changes("--room", "admin")).toEqual(["web/admin/b.txt"]);
  expect(await changes("--room", "docs", "--turn", "1")).toEqual(["docs/c.txt"]);
  expect(await changes("--room", "web", "--turn", "1")).toEqual(["web/a.txt"]);
  expect(await cli.run(["diff", "one", "--room", "x"])).toMatchObject({
    err: expect.stringContaining("Rooms of fairlead.yaml: web, admin, docs."),
  });

  // A session keeps the rooms that it was started with, and a continuation has the room as long as it exists.
  writeFileSync(join(cli.workspace, "fairlead.yaml"), "rooms:\n  docs: [docs, a.md]\n");
  expect(await changes("--room", "admin")).toEqual(["web/admin/b.txt"]);
  await cli.run(["fork", "one", "--fresh", "--name", "two"]);
  expect(await cli.json("ls")).toContainEqual(expect.objectContaining({ name: "two", room: null }));
}, 120_000);

it("a policy test knows the rooms", async () => {
  await using cli = new TestCli();
  const rules = "policy: { rules: [{ verdict: deny, room: docs }] }\n";
  writeFileSync(join(cli.workspace, "fairlead.yaml"), `rooms: { docs: docs }\n${rules}`);
  expect((await cli.run(["policy", "test", "cat docs/a.md"])).out).toContain("deny: ");
  expect((await cli.run(["policy", "test", "cat src/a.md"])).out).not.toContain("deny: ");
  expect((await cli.run(["policy", "show"])).out).toContain("room docs");
}, 60_000);
