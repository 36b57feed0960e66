import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../scripts/run.ts";

const internals = join(root, "docs/internals");

/** A step of a path in docs/internals/overview.md, and the declaration that does it. */
interface PathStep {
  readonly file: string;
  readonly symbol: string;
}

function readSteps(page: string): PathStep[] {
  const rows = page.matchAll(/^\| \d+ \| .+ \| `([^`]+)` \| `([^`]+)` \| .+ \|$/gm);
  return [...rows].map(([, file = "", symbol = ""]) => ({ file, symbol }));
}

/** A sentence for each step whose file does not exist or does not declare its symbol. */
function findWrongSteps(steps: readonly PathStep[]): string[] {
  return steps.flatMap(({ file, symbol }) => {
    const path = join(root, file);
    if (!existsSync(path)) return [`${file} does not exist.`];
    const modifiers = String.raw`(?:export |async |static |readonly |function\*? |class |const )*\*?`;
    const declaration = new RegExp(String.raw`^\s*${modifiers}${symbol}(?:<[^(]+>)?(?:\(| = | \{| implements )`, "m");
    return declaration.test(readFileSync(path, "utf8")) ? [] : [`${file} does not declare ${symbol}.`];
  });
}

describe("docs/internals/overview.md", () => {
  const page = readFileSync(join(internals, "overview.md"), "utf8");
  const steps = readSteps(page);

  test("has every step in its tables", () => {
    expect(steps.length).toBeGreaterThan(30);
    expect(page.match(/^\| \d+ \|/gm)).toHaveLength(steps.length);
  });

  test("names files and symbols that exist", () => expect(findWrongSteps(steps)).toEqual([]));

  test("a file, a symbol or a call in place of a declaration is found", () => {
    const file = "packages/runtime/src/actor/session-actor.ts";
    expect(findWrongSteps([{ file: "packages/gone.ts", symbol: "gone" }])).toHaveLength(1);
    expect(findWrongSteps([{ file, symbol: "#gone" }])).toHaveLength(1);
    expect(findWrongSteps([{ file, symbol: "requestForNote" }])).toHaveLength(1);
    expect(findWrongSteps([{ file, symbol: "#runEffects" }])).toHaveLength(0);
  });
});

test("docs/internals/decisions/README.md lists every decision under its title", () => {
  const folder = join(internals, "decisions");
  const index = readFileSync(join(folder, "README.md"), "utf8");
  const listed = [...index.matchAll(/^\| (\d+) \| \[(.+)\]\((.+)\) \| .+\. \|$/gm)].map(
    ([, number, title, file]) => `${file}: ${number}. ${title}`,
  );
  const decisions = readdirSync(folder).filter((file) => file !== "README.md");
  const titles = decisions.map((file) => {
    const [heading = ""] = readFileSync(join(folder, file), "utf8").split("\n");
    return `${file}: ${heading.replace(/^# /, "")}`;
  });
  expect(listed).toEqual(titles.toSorted());
});

test("docs/internals/glossary.md is sorted and names each word once", () => {
  const page = readFileSync(join(internals, "glossary.md"), "utf8");
  const words = [...page.matchAll(/^\| \*\*([^*]+)\*\* \| \S.+ \| `/gm)].map(([, word = ""]) => word);
  expect(words.length).toBeGreaterThan(20);
  expect(words).toEqual([...new Set(words)].toSorted());
});
