import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { adapters, unverifiedAdapters } from "@fairlead/adapters";
import { buildChildEnvironment } from "@fairlead/runtime";
import { describe, expect, onTestFinished, test } from "vitest";
import { createSilentProgram } from "../scripts/docs/cli-page.ts";
import { findReads, scanEnvironmentReads } from "../scripts/docs/environment-scan.ts";
import { findLaunchVariables, listInheritedVariables, probedVariables } from "../scripts/docs/environment-table.ts";
import { agentVariables, internalVariables, userVariables } from "../scripts/docs/environment.ts";
import { findUndocumented } from "../scripts/docs/find-undocumented.ts";
import { listInventory, type InventoryItem } from "../scripts/docs/inventory.ts";
import { root } from "../scripts/run.ts";

const readPage = (page: string): string => readFileSync(join(root, page), "utf8");
const nameAll = (items: readonly InventoryItem[]): string[] => items.map(({ kind, name }) => `${kind} ${name}`);

describe("the reference", () => {
  const inventory = listInventory(root);

  test("names every part of the program", () => {
    expect(nameAll(findUndocumented(inventory, readPage))).toEqual([]);
  });

  test("a planted option, argument and command are reported", () => {
    const program = createSilentProgram();
    program.commands.find((command) => command.name() === "ls")?.option("--planted", "a planted option");
    program.commands.find((command) => command.name() === "ps")?.argument("[planted]", "a planted argument");
    program.command("planted");
    expect(nameAll(findUndocumented(listInventory(root, program), readPage))).toEqual([
      "command fairlead planted",
      "option --planted",
      "argument planted",
    ]);
  });

  test("an option that another command documents is reported", () => {
    const program = createSilentProgram();
    program.commands.find((command) => command.name() === "ls")?.option("--follow", "follow new events");
    expect(nameAll(findUndocumented(listInventory(root, program), readPage))).toEqual(["option --follow"]);
  });

  test.each([...new Map(inventory.map((item) => [item.kind, item])).values()])(
    "a missing $kind is reported ($name)",
    (item) => {
      const withoutItem = (page: string): string => readPage(page).replaceAll(item.name, "removed");
      const missing = findUndocumented([item], withoutItem);
      expect(nameAll(missing)).toEqual(nameAll([item]));
    },
  );

  test("an event with a field that its row lacks is reported", () => {
    const event = inventory.find(({ name }) => name === "turn.ended");
    if (event === undefined) throw new Error("There is no event turn.ended.");
    const planted = { ...event, fields: [...(event.fields ?? []), "planted"] };
    expect(findUndocumented([event, planted], readPage)).toEqual([planted]);
  });
});

describe("the list of environment variables", () => {
  const listed = { ...userVariables, ...agentVariables, ...internalVariables };

  test("has a row for every variable that the sources read, and no other row", () => {
    const reads = [...scanEnvironmentReads(root).keys()];
    expect(reads.filter((name) => !(name in listed))).toEqual([]);
    const unread = Object.entries({ ...userVariables, ...internalVariables })
      .filter(([name, { library }]) => library === undefined && !reads.includes(name))
      .map(([name]) => name);
    expect(unread).toEqual([]);
  });

  test("names only variables that the named library reads", () => {
    const unread = Object.entries(listed).filter(([name, { library }]) => {
      if (library === undefined || library.startsWith("node:")) return false;
      const files = globSync(`node_modules/${library}/**/*.{js,mjs,cjs}`, { cwd: root });
      return !files.some((file) => readFileSync(join(root, file), "utf8").includes(name));
    });
    expect(unread.map(([name]) => name)).toEqual([]);
  });

  test("has a row for every variable that Fairlead sets for agents", () => {
    const set = [
      ...[...adapters, ...unverifiedAdapters].flatMap(findLaunchVariables),
      ...Object.keys(buildChildEnvironment({}, [], {})),
    ];
    const fromKeeper = ["FAIRLEAD_SESSION", "FAIRLEAD_PROCESS", "FAIRLEAD_KEEPER", "PWD"];
    expect(Object.keys(agentVariables).toSorted()).toEqual([...new Set([...set, ...fromKeeper])].toSorted());
  });

  test("every agent gets the variables that it is said to get, and no others", () => {
    const environment = Object.fromEntries([...listInheritedVariables(), "OTHER"].map((name) => [name, "1"]));
    const { SHELL: _, ...child } = buildChildEnvironment(environment, [], {});
    expect(Object.keys(child).toSorted()).toEqual(listInheritedVariables().toSorted());
    expect(listInheritedVariables()).toContain("HTTPS_PROXY");
  });

  test("the variables of a sign-in come from the probe", () => {
    const keys = [...probedVariables.values()].flat();
    expect(keys.filter((name) => name.endsWith("_API_KEY")).length).toBeGreaterThan(10);
    expect(probedVariables.get("shell")).toEqual([]);
  });

  test("a planted read is found, in each form", () => {
    const folder = mkdtempSync(join(tmpdir(), "planted-reads-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const sources = {
      "packages/cli/src/one.ts": 'const home = process.env["PLANTED_ONE"];\n// process.env["PLANTED_COMMENT"]\n',
      "packages/cli/src/one.test.ts": 'process.env["PLANTED_TEST"];\n',
      "packages/keeper/src/two.ts": 'const names = ["FAIRLEAD_PLANTED"];\n',
      "scripts/three.ts": 'process.env["FAIRLEAD_TOOL"] ?? process.env["OTHER_TOOL"];\n',
    };
    for (const [file, text] of Object.entries(sources)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    expect(Object.fromEntries(scanEnvironmentReads(folder))).toEqual({
      PLANTED_ONE: ["packages/cli/src/one.ts"],
      FAIRLEAD_PLANTED: ["packages/keeper/src/two.ts"],
      FAIRLEAD_TOOL: ["scripts/three.ts"],
    });
    expect(
      findReads('const { ONE, TWO: two = "", ...env } = process.env; const x = context.environment.THREE;'),
    ).toEqual(["THREE", "ONE", "TWO"]);
  });
});
