import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { TestCli } from "@fairlead/testing/cli/test-cli.ts";
import { expect, it } from "vitest";

const script = 'Say. SCRIPT:[{"text":"Hello."}]';

it("runs a brief from a YAML or JSON file, shows it, and replaces it", async () => {
  await using cli = new TestCli();
  const write = (name: string, text: string): void => writeFileSync(join(cli.workspace, name), text);
  write("brief.yaml", `title: Greet\ngoal: |\n  ${script}\nconstraints: [briefly]\n`);
  const run = await cli.run(["run", "scripted", "-n", "one", "--brief", "brief.yaml"]);
  expect(run).toMatchObject({ code: 0, out: expect.stringContaining("Hello.") });
  const [view] = await cli.json("ls");
  const first = { title: "Greet", goal: `${script}\n`, constraints: ["briefly"], acceptance: [] };
  expect(view).toMatchObject({ name: "one", title: "Greet", state: "paused", brief: first });

  // What is printed can be edited and used again.
  const shown = await cli.run(["update-brief", "one", "--show"]);
  expect(shown.out).toContain("title: Greet\n");
  write("next.yaml", shown.out.replace("briefly", "at length"));
  const updated = await cli.run(["update-brief", "one", "next.yaml"]);
  expect(updated.out).toMatch(/^The brief of \w+ is changed\. The agent gets it with the next message\.\n$/);
  expect(await cli.json("update-brief", "one", "--show")).toMatchObject([
    { brief: { ...first, constraints: ["at length"] } },
  ]);
  await cli.run(["resume", "one", script]);
  const events = await cli.json<{ body?: { type: string; input?: string } }>("logs", "one");
  const inputs = events.flatMap(({ body }) => (body?.type === "turn.started" ? (body.input ?? "") : []));
  expect(inputs).toHaveLength(2);
  expect(inputs[1]).toContain("- at length");
  expect((await cli.run(["logs", "one"])).out).toContain("The brief was changed: Greet");

  write("brief.json", JSON.stringify({ title: "Greet", goal: script }));
  const detached = await cli.run(["run", "scripted", "-d", "--brief", "brief.json"]);
  expect(detached).toMatchObject({ code: 0, out: expect.stringMatching(/^\w+\n$/) });
  await cli.run(["wait", detached.out.trim(), "--timeout", "60s"]);
  expect(await cli.json("update-brief", detached.out.trim(), "--show")).toMatchObject([{ brief: { goal: script } }]);
}, 120_000);

it("refuses a brief that cannot be used, in words", async () => {
  await using cli = new TestCli();
  const write = (name: string, text: string): void => writeFileSync(join(cli.workspace, name), text);
  write("odd.yaml", "title: Greet\ngoal: Say.\ndeadline: soon\n");
  write("good.yaml", "title: Greet\ngoal: Say.\n");
  write("large.yaml", `title: Greet\ngoal: ${"x".repeat(300_000)}\n`);
  write("room.yaml", "title: Greet\ngoal: Say.\nroom: web\n");
  const refused: readonly [readonly string[], string][] = [
    [["run", "scripted", "--brief", "odd.yaml"], 'There is no key "deadline". Keys: title, goal, constraints'],
    [["run", "scripted", "--brief", "none.yaml"], "none.yaml cannot be used. ENOENT"],
    [["run", "scripted", "--brief", "large.yaml"], "It is larger than 262144 bytes as JSON."],
    [["run", "scripted", "--brief", "good.yaml", "Say."], "with a prompt or with a brief, not with both"],
    [["run", "scripted", "--brief", "room.yaml"], 'There is no room "web".'],
    [["run", "shell", "--brief", "good.yaml"], "it cannot be given a brief"],
    [["update-brief", "x"], "Name a file with the brief, or use --show."],
    [["update-brief", "x", "good.yaml", "--show"], "Name a file with the brief, or use --show."],
    [["update-brief", "x", "odd.yaml"], 'There is no key "deadline".'],
  ];
  for (const [words, message] of refused) {
    const result = await cli.run(words);
    expect(result.code, words.join(" ")).toBe(2);
    expect(result.err.replaceAll(/\s+/g, " ")).toContain(message);
  }
  expect(await cli.json("ls", "--all")).toEqual([]);
  await cli.run(["run", "scripted", "-n", "plain", script]);
  expect((await cli.run(["update-brief", "plain", "--show"])).err).toContain("has no brief");
  await cli.run(["stop", "plain"]);
  expect((await cli.run(["update-brief", "plain", "good.yaml"])).err).toContain("has ended");
}, 120_000);
