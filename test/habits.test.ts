import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { labAgents } from "@fairlead/lab";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { root } from "../scripts/run.ts";

const read = (file: string): string => readFileSync(join(root, file), "utf8");

const requiredFiles = [
  "AGENTS.md",
  "CHANGELOG.md",
  "CODE_OF_CONDUCT.md",
  "CONTRIBUTING.md",
  "LICENSE",
  "README.md",
  "SECURITY.md",
  ".editorconfig",
  ".gitattributes",
  ".github/ISSUE_TEMPLATE/config.yml",
  ".github/pull_request_template.md",
  ".github/workflows/ci.yml",
  ".github/workflows/nightly.yml",
  "renovate.json",
];

test.each(requiredFiles)("%s exists and is not empty", (file) => {
  expect(read(file).trim().length).toBeGreaterThan(0);
});

interface WorkflowStep {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Workflow {
  readonly on?: Readonly<Record<string, unknown>>;
  readonly permissions?: unknown;
  readonly jobs?: Readonly<Record<string, { readonly "timeout-minutes"?: number; readonly steps?: WorkflowStep[] }>>;
}

const listSteps = ({ jobs = {} }: Workflow): readonly WorkflowStep[] =>
  Object.values(jobs).flatMap(({ steps = [] }) => steps);

/** A tag can be moved to other code. Only the host's own actions may have one, until Renovate pins them too. */
const isPinned = (action: string): boolean => /@[0-9a-f]{40}$|^actions\/[\w-]+@v\d+$/.test(action);

function findWorkflowProblems(workflow: Workflow): string[] {
  return [
    ...(workflow.permissions === undefined ? ["has the default permissions"] : []),
    ...Object.entries(workflow.jobs ?? {}).flatMap(([name, job]) => [
      ...(job["timeout-minutes"] === undefined ? [`${name} has no timeout`] : []),
      ...(job.steps === undefined || job.steps.length === 0 ? [`${name} has no steps`] : []),
    ]),
    ...listSteps(workflow).flatMap(({ uses }) =>
      uses === undefined || isPinned(uses) ? [] : [`${uses} is not pinned`],
    ),
  ];
}

describe("workflows", () => {
  const files = globSync("*.{yml,yaml}", { cwd: join(root, ".github/workflows") });
  const readWorkflow = (file: string): Workflow => parse(read(`.github/workflows/${file}`)) as Workflow;
  const listCommands = (file: string): string[] => listSteps(readWorkflow(file)).map(({ run = "" }) => run);

  test.each(files)("%s has jobs, limits, and pinned actions", (file) => {
    expect(Object.keys(readWorkflow(file).jobs ?? {}).length).toBeGreaterThan(0);
    expect(findWorkflowProblems(readWorkflow(file))).toEqual([]);
  });

  test("an action by branch, a missing timeout and default permissions are found", () => {
    const steps = ["someone/action@v1", "actions/checkout@main", "actions/checkout@v6", `a/b@${"0".repeat(40)}`];
    const workflow = { jobs: { one: { steps: steps.map((uses) => ({ uses })) } } };
    expect(findWorkflowProblems(workflow)).toHaveLength(4);
  });

  test("ci runs .ci/run on every push to main and every pull request", () => {
    expect(Object.keys(readWorkflow("ci.yml").on ?? {}).toSorted()).toEqual(["pull_request", "push"]);
    expect(listCommands("ci.yml").filter((command) => command.endsWith(" .ci/run"))).toHaveLength(1);
  });

  test("nightly proves all claims and uploads their page", () => {
    expect(Object.keys(readWorkflow("nightly.yml").on ?? {})).toContain("schedule");
    expect(listCommands("nightly.yml").some((command) => command.endsWith("npm run claims"))).toBe(true);
    const upload = listSteps(readWorkflow("nightly.yml")).find(({ uses }) =>
      uses?.startsWith("actions/upload-artifact"),
    );
    expect(upload?.with?.["path"]).toBe("docs/status/claims.md");
  });

  test("nightly uses the Node of .ci/run", () => {
    const setup = listSteps(readWorkflow("nightly.yml")).find(({ uses }) => uses?.startsWith("actions/setup-node"));
    expect(setup?.with?.["node-version"]).toBe(/^node_version=(\S+)$/m.exec(read(".ci/run"))?.[1]);
  });
});

interface FormElement {
  readonly type?: string;
  readonly id?: string;
  readonly attributes?: { readonly label?: string; readonly value?: string; readonly options?: readonly unknown[] };
}

const elementTypes = ["markdown", "input", "textarea", "dropdown", "checkboxes"];

/** The host ignores a form with one of these problems and does not report it. */
function findFormProblems(form: Readonly<Record<string, unknown>>): string[] {
  const elements = (form["body"] ?? []) as readonly FormElement[];
  const ids = elements.flatMap(({ id }) => id ?? []);
  return [
    ...["name", "description", "body"].filter((key) => form[key] === undefined).map((key) => `has no ${key}`),
    ...elements.flatMap(({ type = "", id, attributes: { label, value, options } = {} }) => [
      ...(elementTypes.includes(type) ? [] : [`${type} is not a type of element`]),
      ...(type === "markdown" && value === undefined ? ["an explanation is empty"] : []),
      ...(type !== "markdown" && (id === undefined || label === undefined) ? [`a ${type} has no id or label`] : []),
      ...(type === "dropdown" && (options ?? []).length < 2 ? [`${id} offers no choice`] : []),
    ]),
    ...(new Set(ids).size < ids.length ? ["two elements have the same id"] : []),
    ...(elements.some(({ type }) => type !== "markdown") ? [] : ["asks nothing"]),
  ];
}

describe("issue forms", () => {
  const files = globSync("*.yml", { cwd: join(root, ".github/ISSUE_TEMPLATE"), exclude: ["config.yml"] });

  test("there is one for bugs, features and agents", () => {
    expect(files.toSorted()).toEqual(["agent.yml", "bug.yml", "feature.yml"]);
  });

  test.each(files)("%s has what the host requires", (file) => {
    const form = parse(read(`.github/ISSUE_TEMPLATE/${file}`)) as Record<string, unknown>;
    expect(findFormProblems(form)).toEqual([]);
  });

  test("a form without fields, with unknown elements and with doubled ids is found", () => {
    const input = { type: "input", id: "one", attributes: { label: "One" } };
    expect(findFormProblems({ name: "n", description: "d", body: [input] })).toEqual([]);
    expect(findFormProblems({ name: "n", description: "d" })).toHaveLength(2);
    expect(findFormProblems({ name: "n", description: "d", body: [input, input] })).toHaveLength(1);
    expect(
      findFormProblems({ name: "n", description: "d", body: [input, { ...input, id: "x", type: "text" }] }),
    ).toHaveLength(1);
    expect(
      findFormProblems({ name: "n", description: "d", body: [input, { type: "dropdown", id: "d" }] }),
    ).toHaveLength(2);
  });
});

/** E-mail addresses and mentions of accounts. A package (`@scope/name`), a version (`name@1.2`) and an action are neither. */
function findContacts(text: string): string[] {
  return [...text.matchAll(/[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}\b|(?<![\w/])@[a-z\d][\w-]*(?![\w/-])/gi)].map(
    ([contact]) => contact,
  );
}

describe("contacts", () => {
  const files = ["CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "SECURITY.md", ...globSync(".github/**/*.*", { cwd: root })];

  test.each(files)("%s names no address and no account", (file) => expect(findContacts(read(file))).toEqual([]));

  test("an address and an account are found, a package and an action are not", () => {
    expect(findContacts("Write to security@example.org or to @maintainer.")).toEqual([
      "security@example.org",
      "@maintainer",
    ]);
    expect(findContacts("uses: actions/checkout@v6, @fairlead/cli, name@1.2.3")).toEqual([]);
  });
});

/** Lists the scripts and programs that a page tells its reader to run and that do not exist. */
function findMissingCommands(page: string): string[] {
  const { scripts } = JSON.parse(read("package.json")) as { readonly scripts: Readonly<Record<string, string>> };
  const find = (pattern: RegExp): string[] => [...new Set([...page.matchAll(pattern)].map(([, name = ""]) => name))];
  return [
    ...find(/\bnpm run ([\w:-]+)/g).filter((name) => !(name in scripts)),
    ...find(/\bnpx ([\w-]+)/g).filter((name) => !existsSync(join(root, "node_modules/.bin", name))),
    ...find(/((?:scripts|test|claims|bench|measure|packages)\/[\w/.-]+\w)/g).filter(
      (file) => !existsSync(join(root, file)),
    ),
  ];
}

describe("commands", () => {
  const pages = ["AGENTS.md", "CONTRIBUTING.md", ".github/pull_request_template.md"];

  test.each(pages)("%s names only commands and files that exist", (page) => {
    expect(findMissingCommands(read(page))).toEqual([]);
  });

  test("CONTRIBUTING.md lists the steps of scripts/check.ts in their order", () => {
    const find = (page: string, pattern: RegExp): string[] =>
      [...read(page).matchAll(pattern)].map(([, name = ""]) => name);
    const [, ...documented] = find("CONTRIBUTING.md", /^\| ([a-z][a-z ]*?) +\|/gm);
    expect(documented).toEqual(find("scripts/check.ts", /^ {2}\["([^"]+)", /gm));
  });

  test("a command and a file that do not exist are found", () => {
    expect(findMissingCommands("npm run gone, `npx gone`, node scripts/gone.ts, `npm run check`")).toHaveLength(3);
  });
});

interface CustomManager {
  readonly managerFilePatterns: readonly string[];
  readonly matchStrings: readonly string[];
}

describe("renovate.json", () => {
  const renovate = JSON.parse(read("renovate.json")) as {
    readonly $schema: string;
    readonly extends: readonly string[];
    readonly rangeStrategy: string;
    readonly minimumReleaseAge: string;
    readonly customManagers: readonly CustomManager[];
    readonly packageRules: readonly { readonly groupName?: string }[];
  };

  /** The versions that the custom managers find in a file, as Renovate does. */
  function findVersions(file: string): Readonly<Record<string, string>>[] {
    const managers = renovate.customManagers.filter(({ managerFilePatterns }) =>
      managerFilePatterns.some((pattern) => new RegExp(pattern.slice(1, -1)).test(file)),
    );
    return managers
      .flatMap(({ matchStrings }) => matchStrings)
      .flatMap((pattern) =>
        [...read(file).matchAll(new RegExp(pattern, "g"))].map(({ groups = {} }) => ({ ...groups })),
      );
  }

  test("asks for exact versions of a minimum age, in groups, and for digests of actions", () => {
    expect(renovate.$schema).toBe("https://docs.renovatebot.com/renovate-schema.json");
    expect(renovate.extends).toContain("helpers:pinGitHubActionDigests");
    expect(renovate.rangeStrategy).toBe("pin");
    expect(renovate.minimumReleaseAge).toMatch(/^\d+ days$/);
    expect(renovate.packageRules.map(({ groupName }) => groupName)).toContain("workspace");
  });

  test("finds every agent of the lab", () => {
    expect(findVersions("packages/lab/src/agents.ts")).toEqual(
      labAgents.map(({ package: depName, version: currentValue }) => ({ depName, currentValue })),
    );
  });

  test("finds the Node of .ci/run", () => {
    expect(findVersions(".ci/run")).toEqual([{ currentValue: expect.stringMatching(/^24\.\d+\.\d+$/) }]);
  });
});

type PackageManifest = Readonly<Record<string, Readonly<Record<string, string>> | undefined>>;

/** Lists the dependencies of a package whose version is a range, so that two installations could differ. */
const findRanges = (manifest: PackageManifest): string[] =>
  ["dependencies", "devDependencies", "optionalDependencies"]
    .flatMap((kind) => Object.entries(manifest[kind] ?? {}))
    .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
    .map(([name]) => name);

describe("dependencies", () => {
  const files = globSync(["package.json", "packages/*/package.json"], { cwd: root });

  test.each(files)("%s has exact versions", (file) => {
    expect(findRanges(JSON.parse(read(file)) as PackageManifest)).toEqual([]);
  });

  test("a range is found", () => {
    const dependencies = { caret: "^1.2.3", star: "*", exact: "1.2.3", prerelease: "1.2.3-beta.1" };
    expect(findRanges({ dependencies })).toEqual(["caret", "star"]);
  });
});
