import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { examples, findMissing, runExample } from "../scripts/examples.ts";
import { root } from "../scripts/run.ts";

describe("the examples (node scripts/examples.ts runs them)", () => {
  it.each(examples)("$name meets its expectations", { timeout: 60_000 }, async (example) => {
    const { output, problems } = await runExample(example);
    expect(problems, output).toEqual([]);
  });

  it("reports every failed expectation", { timeout: 60_000 }, async () => {
    const [embed] = examples;
    if (embed === undefined) throw new Error("There are no examples.");
    const { problems } = await runExample({
      ...embed,
      exitCode: 7,
      expectedOutput: ["turn.ended", "session.started"],
      checkAfter: "false",
    });
    expect(problems).toHaveLength(3);
    expect(findMissing("a b", ["a", "b"])).toEqual([]);
  });

  it("every example file is run", () => {
    const files = globSync(["*.ts", "*/main.ts"], { cwd: join(root, "examples") });
    expect(files.toSorted()).toEqual([...new Set(examples.map(({ command }) => command[0]))].toSorted());
  });
});

it.each(["embed.ts", "client.ts"])("the README contains examples/%s, which has at most 12 lines", (file) => {
  const [, code = ""] = readFileSync(join(root, "examples", file), "utf8").split("*/\n");
  expect(readFileSync(join(root, "README.md"), "utf8")).toContain(`\`\`\`ts\n${code}\`\`\`\n`);
  const statements = code.split("\n").filter((line) => line !== "" && !line.startsWith("import"));
  expect(statements.length).toBeLessThanOrEqual(12);
});
