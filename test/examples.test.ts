import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { examples, missing, show } from "../scripts/examples.ts";
import { root } from "../scripts/run.ts";

describe("the examples (node scripts/examples.ts shows them)", () => {
  it.each(examples)("$name does what is said of it", { timeout: 60_000 }, async (example) => {
    const { output, wrong } = await show(example);
    expect(wrong, output).toEqual([]);
  });

  it("one that did something else would be seen", { timeout: 60_000 }, async () => {
    const [embed] = examples;
    if (embed === undefined) throw new Error("There are no examples.");
    const { wrong } = await show({ ...embed, exitCode: 7, prints: ["turn.ended", "session.started"], leaves: "false" });
    expect(wrong).toHaveLength(3);
    expect(missing("a b", ["a", "b"])).toEqual([]);
  });

  it("all are run", () => {
    const files = globSync(["*.ts", "*/main.ts"], { cwd: join(root, "examples") });
    expect(files.toSorted()).toEqual([...new Set(examples.map(({ words }) => words[0]))].toSorted());
  });
});

it.each(["embed.ts", "client.ts"])("the README shows examples/%s as it is, and it is short", (file) => {
  const [, code = ""] = readFileSync(join(root, "examples", file), "utf8").split("*/\n");
  expect(readFileSync(join(root, "README.md"), "utf8")).toContain(`\`\`\`ts\n${code}\`\`\`\n`);
  const statements = code.split("\n").filter((line) => line !== "" && !line.startsWith("import"));
  expect(statements.length).toBeLessThanOrEqual(12);
});
