import { readFileSync } from "node:fs";
import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** What the files of a room may import: other rooms, packages, and how much of Node. A room imports downwards only. */
interface Rule {
  /** The first rule whose pattern fits a file is the file's rule. */
  readonly files: RegExp;
  readonly rooms?: readonly string[];
  readonly packages?: readonly string[];
  /** Built-in modules: none, some by name, or all. */
  readonly node?: readonly string[] | "all";
  /** Files of the same room, where not all of them are open to it. */
  readonly beside?: RegExp;
}

const testTools = ["vitest", "fast-check"];
const judge = ["contract", "kit", "keeper", "journal", "runtime"];

const rules: readonly Rule[] = [
  // Tests may reach for the tools of testing, and for whatever their room may.
  { files: /^packages\/contract\/.*\.test\.ts$/, packages: ["zod", ...testTools], node: "all" },
  { files: /^packages\/kit\/.*\.test\.ts$/, rooms: ["contract"], packages: [...testTools, "zod"], node: "all" },
  { files: /^packages\/(keeper|journal)\/.*\.test\.ts$/, rooms: ["contract"], packages: testTools, node: "all" },
  { files: /^packages\/runtime\/.*[.-]test\.ts$/, rooms: ["adapters", ...judge], packages: testTools, node: "all" },
  {
    files: /^packages\/lab\/.*\.test\.ts$/,
    rooms: ["adapters", "conformance", "contract"],
    packages: testTools,
    node: "all",
  },
  {
    files: /^packages\/conformance\/.*\.test\.ts$/,
    rooms: ["adapters", "lab", ...judge],
    packages: testTools,
    node: "all",
  },
  {
    files: /^packages\/(api|client|server)\/.*[.-]test\.ts$/,
    rooms: ["adapters", "api", "client", "contract", "journal", "kit", "runtime", "server"],
    packages: [...testTools, "zod", "ws", "hono", "@agentclientprotocol/sdk"],
    node: "all",
  },
  {
    files: /^packages\/cli\/.*\.test\.ts$/,
    rooms: ["api", "client", "contract", "runtime"],
    packages: testTools,
    node: "all",
  },

  { files: /^packages\/contract\/src\//, packages: ["zod"] },
  { files: /^packages\/kit\/src\//, rooms: ["contract"], packages: ["unbash", "zod"], node: ["node:buffer"] },
  { files: /^packages\/keeper\/src\//, rooms: ["contract"], node: "all" },
  { files: /^packages\/journal\/src\/conformance/, rooms: ["contract"], packages: testTools, node: "all" },
  { files: /^packages\/journal\/src\//, rooms: ["contract"], node: "all" },

  // The three files of an adapter differ in power: one describes, one computes, one launches.
  { files: /^packages\/adapters\/src\/[^/]+\/wire\.ts$/, rooms: ["contract", "kit"], packages: ["zod"], beside: /^$/ },
  { files: /^packages\/adapters\/src\/[^/]+\/dialect\.ts$/, rooms: ["contract", "kit"], beside: /^\.\/wire\.ts$/ },
  {
    files: /^packages\/adapters\/src\/[^/]+\/adapter\.ts$/,
    rooms: ["contract", "kit"],
    packages: ["zod"],
    node: ["node:url"],
    // One that has a lesser way of being spoken to, as an agent of its own, may hand over to that one.
    beside: /^\.\/(wire|dialect)\.ts$|^\.\.\/[\w-]+-exec\/adapter\.ts$/,
  },
  // An agent that speaks a common protocol is an entry of data beside that protocol's adapter.
  {
    files: /^packages\/adapters\/src\/[^/]+\/entry\.ts$/,
    rooms: ["contract", "kit"],
    packages: ["zod"],
    node: ["node:url"],
    beside: /^\.\.\/acp\/(adapter|wire|entry)\.ts$/,
  },
  { files: /^packages\/adapters\/src\/index\.ts$/, rooms: ["contract"], beside: /^\.\/[^/]+\/(adapter|entry)\.ts$/ },
  {
    files: /^packages\/adapters\/programs\//,
    rooms: ["kit"],
    packages: ["openai", "@agentclientprotocol/sdk", "zod"],
    node: "all",
    beside: /^(\.\.\/src\/[^/]+\/wire\.ts|\.\/.*)$/,
  },

  {
    files: /^packages\/runtime\/src\//,
    rooms: ["contract", "kit", "keeper", "journal"],
    packages: ["yaml", "zod"],
    node: "all",
  },
  // The interface is for browsers too: no Node in it, nor in the part of the client that is not below node/.
  { files: /^packages\/api\/src\//, rooms: ["contract"], packages: ["zod"] },
  { files: /^packages\/client\/src\/node\//, rooms: ["api", "contract"], packages: ["ws", "zod"], node: "all" },
  { files: /^packages\/client\/src\//, rooms: ["api", "contract"], packages: ["zod"] },
  {
    files: /^packages\/server\/src\/acp\//,
    rooms: ["api", "contract"],
    packages: ["@agentclientprotocol/sdk", "zod"],
    node: "all",
  },
  {
    files: /^packages\/server\/src\/shim\//,
    rooms: ["api", "contract"],
    packages: ["@hono/node-server", "hono", "ws", "zod"],
    node: "all",
  },
  {
    files: /^packages\/server\/src\//,
    rooms: ["api", "contract", "journal", "kit", "runtime"],
    packages: ["@hono/node-server", "@opentelemetry", "hono", "pino", "prom-client", "ws", "zod"],
    node: "all",
  },
  { files: /^packages\/conformance\/src\/vitest\.ts$/, rooms: judge, packages: ["vitest"], node: "all" },
  { files: /^packages\/conformance\/src\//, rooms: judge, node: "all" },
  { files: /^packages\/lab\/src\//, rooms: ["contract", "kit", "conformance"], node: "all" },
  {
    files: /^packages\/cli\/src\//,
    rooms: ["adapters", "api", "client", "conformance", "contract", "kit", "lab", "runtime", "server"],
    packages: ["commander"],
    node: "all",
  },
  // What a program of somebody else's needs, and no more.
  {
    files: /^examples\//,
    rooms: ["adapters", "api", "client", "contract", "runtime", "server"],
    node: "all",
    beside: /^\.\//,
  },
  {
    files: /^(test|scripts|claims|bench)\//,
    rooms: [
      "adapters",
      "api",
      "client",
      "conformance",
      "contract",
      "journal",
      "keeper",
      "kit",
      "lab",
      "runtime",
      "server",
    ],
    packages: [...testTools, "@agentclientprotocol/sdk", "ws"],
    node: "all",
    beside: /^\.\.?\//,
  },
];

const files = globSync(["packages/*/{src,programs}/**/*.ts", "{test,scripts,claims,bench,examples}/**/*.ts"], {
  cwd: root,
}).toSorted();

function importsOf(file: string): string[] {
  const text = readFileSync(`${root}/${file}`, "utf8");
  return [
    ...text.matchAll(/^(?:import|export)\b[^;]*?\bfrom "([^"]+)";|\bimport\("([^"]+)"\)|^import "([^"]+)";/gm),
  ].map((match) => match[1] ?? match[2] ?? match[3] ?? "");
}

function allows(rule: Rule, file: string, wanted: string): boolean {
  if (wanted.startsWith("node:")) return rule.node === "all" || (rule.node ?? []).includes(wanted);
  if (wanted.startsWith(".")) return rule.beside?.test(wanted) ?? staysInRoom(file, wanted);
  const room = /^@fairlead\/([^/]+)/.exec(wanted)?.[1];
  if (room !== undefined) return (rule.rooms ?? []).includes(room);
  return (rule.packages ?? []).some((name) => wanted === name || wanted.startsWith(`${name}/`));
}

function staysInRoom(file: string, wanted: string): boolean {
  const room = /^packages\/[^/]+\//.exec(file)?.[0] ?? "";
  return new URL(wanted, `file:///${file}`).pathname.startsWith(`/${room}`);
}

/** Everything in a file that its rule does not allow; a file without a rule is itself not allowed. */
function breaches(file: string, imports: readonly string[]): string[] {
  const rule = rules.find((one) => one.files.test(file));
  if (rule === undefined) return [`${file} is covered by no rule`];
  return imports.filter((wanted) => !allows(rule, file, wanted)).map((wanted) => `${file} imports ${wanted}`);
}

describe("imports", () => {
  test("there are files to look at", () => expect(files.length).toBeGreaterThan(100));

  test("every file imports only what its rule allows", () => {
    expect(files.flatMap((file) => breaches(file, importsOf(file)))).toEqual([]);
  });

  test("a breach would be seen", () => {
    expect(breaches("packages/kit/src/fold.ts", ["@fairlead/runtime"])).toHaveLength(1);
    expect(breaches("packages/kit/src/fold.ts", ["node:fs"])).toHaveLength(1);
    expect(breaches("packages/kit/src/fold.ts", ["../../runtime/src/home.ts"])).toHaveLength(1);
    expect(breaches("packages/adapters/src/shell/dialect.ts", ["../scripted/wire.ts"])).toHaveLength(1);
    expect(breaches("packages/adapters/src/shell/wire.ts", ["@fairlead/keeper"])).toHaveLength(1);
    expect(breaches("packages/unheard-of/src/index.ts", [])).toHaveLength(1);
  });
});

describe("words", () => {
  const vendors = /claude|anthropic|codex|openai|gemini|openclaw|opencode|sourcegraph|\bamp\b/i;
  const room = /^packages\/(adapters|lab)\//;
  const vague = /\b\w*(Manager|Helper|Utils?)\b/;

  test("no vendor is named outside adapters and lab", () => {
    const named = files.filter((file) => file.startsWith("packages/") && !room.test(file));
    expect(named.filter((file) => vendors.test(readFileSync(`${root}/${file}`, "utf8")))).toEqual([]);
  });

  test("nothing is called a manager, a helper or a util", () => {
    const named = files.filter((file) => file.startsWith("packages/"));
    expect(named.filter((file) => vague.test(readFileSync(`${root}/${file}`, "utf8")))).toEqual([]);
  });
});
