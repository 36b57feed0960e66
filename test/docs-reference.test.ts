import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { adapters, unverifiedAdapters } from "@fairlead/adapters";
import { buildChildEnvironment } from "@fairlead/runtime";
import { describe, expect, onTestFinished, test } from "vitest";
import { createSilentProgram, renderCliPage } from "../scripts/docs/cli-page.ts";
import { findReads } from "../scripts/docs/environment-reads.ts";
import { scanEnvironmentReads } from "../scripts/docs/environment-scan.ts";
import { findLaunchVariables, listInheritedVariables, probedVariables } from "../scripts/docs/environment-table.ts";
import { agentVariables, internalVariables, userVariables } from "../scripts/docs/environment.ts";
import { findUndocumented } from "../scripts/docs/find-undocumented.ts";
import { listInventory, type InventoryItem } from "../scripts/docs/inventory.ts";
import { root } from "../scripts/run.ts";

const cliPage = "docs/use/cli.md";
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

  test("an option of the program itself is reported, although commands document the same name", () => {
    const program = createSilentProgram().option("--json", "a planted option");
    expect(nameAll(findUndocumented(listInventory(root, program), readPage))).toEqual(["option --json"]);
  });

  test("a command below a command is reported with its options, and the page then has it", () => {
    const program = createSilentProgram();
    const token = program.commands.find((command) => command.name() === "token");
    token?.command("planted").option("--json", "a planted option");
    const planted = listInventory(root, program);
    expect(nameAll(findUndocumented(planted, readPage))).toEqual(["command fairlead token planted", "option --json"]);
    const readPlantedPage = (page: string): string => (page === cliPage ? renderCliPage(program) : readPage(page));
    expect(nameAll(findUndocumented(planted, readPlantedPage))).toEqual([]);
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
    ).toEqual(["ONE", "TWO", "THREE"]);
  });

  test.each([
    'const home = host.env?.["X"];',
    "const home = env?.X;",
    "const home = process.env[`X`];",
    "const {X} = process.env",
    "const {X}=process.env as Record<string, string>;",
    'let { X = "" } = options.environment ?? {};',
    "const read = ({ X } = process.env) => X;",
    "({ X: home } = process.env);",
    'if ("X" in env) run();',
    'Object.hasOwn(process.env, "X");',
    'const glob = "packages/*/src"; process.env["X"]; const other = "src/**/*.ts";',
  ])("the read in %j is found", (source) => expect(findReads(source)).toEqual(["X"]));

  test("a read beside elements is found, in a file that has them", () =>
    expect(findReads("const shown = <b>{process.env.X}</b>;", "shown.tsx")).toEqual(["X"]));

  test.each([
    '// process.env["X"]',
    'const text = "process.env.X";',
    'environment.get("X"); other["X"]; "X" in other;',
    "const { incoming } = context.env;",
  ])("no read is found in %j", (source) => expect(findReads(source)).toEqual([]));
});
