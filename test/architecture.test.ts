import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** What files may import: packages of this repository, npm packages and modules of Node. Imports go downward only. */
interface ImportRule {
  /** The first rule whose pattern matches a file applies to it. */
  readonly files: RegExp;
  readonly workspacePackages?: readonly string[];
  readonly npmPackages?: readonly string[];
  /** Built-in modules: a list, or all. Default: none. */
  readonly node?: readonly string[] | "all";
  /** Allowed relative imports. Default: all files of the package. */
  readonly relativeImports?: RegExp;
}

const testTools = ["vitest", "fast-check"];
const judge = ["contract", "kit", "keeper", "journal", "reducer", "runtime"];

const rules: readonly ImportRule[] = [
  // Tests may import the test tools, the testing package, and what their package may import.
  { files: /^packages\/contract\/.*\.test\.ts$/, npmPackages: ["zod", ...testTools], node: "all" },
  {
    files: /^packages\/tools\/.*\.test\.ts$/,
    workspacePackages: ["api", "contract", "kit", "testing"],
    npmPackages: ["zod", ...testTools],
    node: "all",
  },
  {
    files: /^packages\/(kit|reducer)\/.*\.test\.ts$/,
    workspacePackages: ["contract", "kit", "testing"],
    npmPackages: [...testTools, "zod"],
    node: "all",
  },
  {
    files: /^packages\/(keeper|journal)\/.*\.test\.ts$/,
    workspacePackages: ["contract", "testing"],
    npmPackages: testTools,
    node: "all",
  },
  {
    files: /^packages\/(engine|nats)\/.*\.test\.ts$/,
    workspacePackages: ["contract", "engine", "journal", "testing"],
    npmPackages: [...testTools, "@nats-io"],
    node: "all",
  },
  {
    files: /^packages\/runtime\/.*\.test\.ts$/,
    workspacePackages: ["adapters", "engine", "testing", ...judge],
    npmPackages: testTools,
    node: "all",
  },
  {
    files: /^packages\/lab\/.*\.test\.ts$/,
    workspacePackages: ["adapters", "conformance", "contract"],
    npmPackages: testTools,
    node: "all",
  },
  {
    files: /^packages\/conformance\/.*\.test\.ts$/,
    workspacePackages: ["adapters", "lab", ...judge],
    npmPackages: testTools,
    node: "all",
  },
  {
    files: /^packages\/(api|client|server|service)\/.*\.test\.ts$/,
    workspacePackages: ["adapters", "api", "client", "contract", "engine", "kit", "runtime", "service", "testing"],
    npmPackages: [
      ...testTools,
      "zod",
      "ws",
      "hono",
      "prom-client",
      "@agentclientprotocol/sdk",
      "@modelcontextprotocol/client",
    ],
    node: "all",
  },
  {
    files: /^packages\/foreman\/.*\.test\.ts$/,
    workspacePackages: ["adapters", "api", "contract", "journal", "runtime", "service", "testing", "tools"],
    npmPackages: [...testTools, "zod"],
    node: "all",
  },
  {
    files: /^packages\/(cli|daemon)\/.*\.test\.ts$/,
    workspacePackages: ["api", "client", "contract", "daemon", "engine", "nats", "runtime", "server", "testing"],
    npmPackages: testTools,
    node: "all",
  },
  {
    files: /^packages\/adapters\/.*\.test\.ts$/,
    workspacePackages: ["contract"],
    npmPackages: testTools,
    node: "all",
  },
  {
    files: /^packages\/openai-agent\/.*\.test\.ts$/,
    workspacePackages: ["lab", "testing"],
    npmPackages: [...testTools, "@agentclientprotocol/sdk"],
    node: "all",
  },
  {
    files: /^packages\/web\/.*\.test\.tsx?$/,
    workspacePackages: ["api", "contract", "client", "testing"],
    npmPackages: [...testTools, "marked", "react", "react-dom"],
    node: "all",
  },
  // The testing package may import the sources of the packages that it helps to test. It is not shipped.
  {
    files: /^packages\/testing\/src\//,
    workspacePackages: [
      "adapters",
      "api",
      "client",
      "contract",
      "engine",
      "foreman",
      "journal",
      "keeper",
      "kit",
      "nats",
      "runtime",
      "server",
      "service",
    ],
    npmPackages: [...testTools, "@agentclientprotocol/sdk", "@nats-io", "axe-core", "playwright-core", "ws"],
    node: "all",
    relativeImports: /^\.\.?\//,
  },

  { files: /^packages\/contract\/src\//, npmPackages: ["@noble/hashes", "semver", "zod"] },
  {
    files: /^packages\/kit\/src\//,
    workspacePackages: ["contract"],
    npmPackages: ["unbash", "zod"],
    node: ["node:buffer"],
  },
  {
    files: /^packages\/tools\/src\/built-in\//,
    workspacePackages: ["contract"],
    npmPackages: ["zod"],
    node: ["node:fs/promises", "node:path"],
  },
  { files: /^packages\/tools\/src\//, workspacePackages: ["api", "contract"], npmPackages: ["zod"] },
  {
    files: /^packages\/reducer\/src\//,
    workspacePackages: ["contract", "kit"],
    npmPackages: ["zod"],
    node: ["node:buffer"],
  },
  { files: /^packages\/keeper\/src\//, workspacePackages: ["contract"], node: "all" },
  {
    files: /^packages\/journal\/src\/conformance/,
    workspacePackages: ["contract"],
    npmPackages: testTools,
    node: "all",
  },
  { files: /^packages\/journal\/src\//, workspacePackages: ["contract"], node: "all" },
  {
    files: /^packages\/engine\/src\/conformance/,
    workspacePackages: ["contract", "journal"],
    npmPackages: testTools,
    node: "all",
  },
  // The interfaces of the engine must not depend on one of its implementations, so only packages/nats knows NATS.
  {
    files: /^packages\/engine\/src\//,
    workspacePackages: ["contract", "journal", "keeper"],
    npmPackages: ["zod"],
    node: "all",
  },
  {
    files: /^packages\/nats\/src\//,
    workspacePackages: ["contract", "engine", "journal"],
    npmPackages: ["@nats-io", "yaml", "zod"],
    node: "all",
  },

  // The three files of an adapter may do different things: wire.ts describes messages, dialect.ts computes, adapter.ts
  // launches.
  {
    files: /^packages\/adapters\/src\/[^/]+\/wire\.ts$/,
    workspacePackages: ["contract", "kit"],
    npmPackages: ["zod"],
    // Two protocols of one program may share the parts that are the same. A part has the messages that only it reads.
    relativeImports: /^\.\.\/[\w-]+-exec\/wire\.ts$|^\.\/quota\.ts$/,
  },
  {
    files: /^packages\/adapters\/src\/[^/]+\/dialect\.ts$/,
    workspacePackages: ["contract", "kit"],
    relativeImports:
      /^\.\/(wire|actions|answer-usage|decisions|events|every-call|failure|host-tools|items|mcp-servers|messages|options|quota|terminal-usage|tools|transcript|usage)\.ts$|^\.\.\/[\w-]+-exec\/transcript\.ts$/,
  },
  // Parts of a larger adapter beside launch, turns and approvals. They compute, like the dialect.
  {
    files:
      /^packages\/adapters\/src\/[^/]+\/(actions|answer-usage|decisions|events|every-call|failure|host-tools|items|mcp-servers|messages|needs|options|quota|terminal-usage|tools|transcript|usage)\.ts$/,
    workspacePackages: ["contract", "kit"],
    npmPackages: ["zod"],
    // They use each other, and the type of the dialect's state.
    relativeImports:
      /^\.\/(wire|dialect|actions|answer-usage|events|every-call|failure|host-tools|items|mcp-servers|messages|needs|options|terminal-usage|tools|usage)\.ts$|^\.\.\/[\w-]+-exec\/(wire|actions)\.ts$/,
  },
  {
    files: /^packages\/adapters\/src\/[^/]+\/adapter\.ts$/,
    workspacePackages: ["contract", "kit"],
    npmPackages: ["zod"],
    node: ["node:url"],
    // An adapter may use another adapter for a fallback protocol.
    relativeImports:
      /^\.\/(wire|dialect|actions|mcp-servers|needs|transcript)\.ts$|^\.\.\/[\w-]+-exec\/adapter\.ts$|^\.\.\/acp\/adapter\.ts$/,
  },
  // An agent with a common protocol is an entry of data for that protocol's adapter.
  {
    files: /^packages\/adapters\/src\/([^/]+\/(entry|unverified-adapters)|judged-versions)\.ts$/,
    workspacePackages: ["contract", "kit"],
    npmPackages: ["zod"],
    node: ["node:url", "node:module"],
    relativeImports: /^(\.\.\/acp|\.)\/(adapter|wire)\.ts$|^\.\/actions\.ts$/,
  },
  {
    files: /^packages\/adapters\/src\/index\.ts$/,
    workspacePackages: ["contract"],
    relativeImports: /^\.\/([^/]+\/(adapter|entry|unverified-adapters)|judged-versions)\.ts$/,
  },
  {
    files: /^packages\/adapters\/programs\//,
    workspacePackages: ["kit"],
    npmPackages: ["zod"],
    node: "all",
    relativeImports: /^(\.\.\/src\/[^/]+\/wire\.ts|\.\/.*)$/,
  },
  {
    files: /^packages\/openai-agent\/src\//,
    npmPackages: ["openai", "@agentclientprotocol/sdk", "@modelcontextprotocol/client", "zod"],
    node: "all",
  },

  {
    files: /^packages\/runtime\/src\//,
    workspacePackages: ["contract", "engine", "kit", "reducer", "keeper", "journal"],
    npmPackages: ["@pydantic/genai-prices", "yaml", "zod"],
    node: "all",
  },
  // Browsers use api and client too, so only files below client/src/node/ may import modules of Node.
  { files: /^packages\/api\/src\//, workspacePackages: ["contract"], npmPackages: ["zod"] },
  {
    files: /^packages\/client\/src\/node\//,
    workspacePackages: ["api", "contract"],
    npmPackages: ["ws", "zod"],
    node: "all",
  },
  { files: /^packages\/client\/src\//, workspacePackages: ["api", "contract"], npmPackages: ["zod"] },
  {
    files: /^packages\/foreman\/src\/conformance/,
    workspacePackages: ["contract"],
    npmPackages: testTools,
    node: "all",
  },
  {
    files: /^packages\/foreman\/src\//,
    workspacePackages: ["api", "contract", "engine", "journal", "runtime", "tools"],
    npmPackages: ["@restatedev/restate-sdk", "@restatedev/restate-sdk-clients", "yaml", "zod"],
    node: "all",
  },
  {
    files: /^packages\/service\/src\//,
    workspacePackages: ["api", "contract", "engine", "foreman", "journal", "kit", "reducer", "runtime", "tools"],
    npmPackages: ["zod"],
    node: "all",
  },
  {
    files: /^packages\/server\/src\/acp\//,
    workspacePackages: ["api", "contract"],
    npmPackages: ["@agentclientprotocol/sdk", "zod"],
    node: "all",
  },
  {
    files: /^packages\/server\/src\/mcp\//,
    workspacePackages: ["contract", "tools"],
    npmPackages: ["@modelcontextprotocol/server"],
    node: "all",
  },
  {
    files: /^packages\/server\/src\/shim\//,
    workspacePackages: ["api", "contract"],
    npmPackages: ["@hono/node-server", "hono", "ws", "zod"],
    node: "all",
  },
  {
    files: /^packages\/server\/src\//,
    workspacePackages: ["api", "contract", "engine", "service"],
    npmPackages: ["@hono/node-server", "@opentelemetry", "hono", "pino", "prom-client", "ws", "zod"],
    node: "all",
  },
  // A fleet needs the ports of an engine, and no engine in particular.
  {
    files: /^packages\/fleet\/.*\.test\.ts$/,
    workspacePackages: [
      "adapters",
      "api",
      "contract",
      "engine",
      "journal",
      "keeper",
      "kit",
      "runtime",
      "service",
      "testing",
    ],
    npmPackages: testTools,
    node: "all",
  },
  {
    files: /^packages\/fleet\/src\//,
    workspacePackages: ["api", "contract", "engine", "journal", "runtime", "service"],
    npmPackages: ["zod"],
    node: "all",
  },
  {
    files: /^packages\/daemon\/src\//,
    workspacePackages: ["adapters", "client", "contract", "engine", "fleet", "runtime", "server", "service", "web"],
    npmPackages: ["semver"],
    node: "all",
  },
  // The page. Its state knows neither React nor the browser, and only its wire knows the client.
  { files: /^packages\/web\/src\/page-folder\.ts$/, node: ["node:url"] },
  {
    files: /^packages\/web\/src\/state\//,
    workspacePackages: ["api", "contract"],
    relativeImports: /^(?!.*\/(app|components|views|wire)\/)\.\.?\//,
  },
  {
    files: /^packages\/web\/src\/wire\//,
    workspacePackages: ["api", "client", "contract"],
    npmPackages: ["@tanstack/react-query", "react"],
    relativeImports: /^(?!.*\/(app|components|views)\/)\.\.?\//,
  },
  {
    files: /^packages\/web\/src\/components\//,
    workspacePackages: ["api", "contract"],
    npmPackages: ["@base-ui/react", "@xterm", "marked", "react", "react-diff-view", "react-dom", "wouter"],
    relativeImports: /^(?!.*\/(views|wire)\/)\.\.?\//,
  },
  {
    files: /^packages\/web\/src\//,
    workspacePackages: ["api", "contract"],
    npmPackages: [
      "@base-ui/react",
      "@tanstack/react-query",
      "@tanstack/react-virtual",
      "@xterm",
      "marked",
      "react",
      "react-diff-view",
      "react-dom",
      "wouter",
    ],
  },
  { files: /^packages\/conformance\/src\/vitest\.ts$/, workspacePackages: judge, npmPackages: ["vitest"], node: "all" },
  { files: /^packages\/conformance\/src\//, workspacePackages: judge, node: "all" },
  { files: /^packages\/lab\/src\//, workspacePackages: ["contract", "kit", "conformance"], node: "all" },
  {
    files: /^packages\/cli\/src\//,
    workspacePackages: [
      "adapters",
      "api",
      "client",
      "conformance",
      "contract",
      "daemon",
      "engine",
      "foreman",
      "journal",
      "kit",
      "lab",
      "nats",
      "runtime",
      "server",
    ],
    npmPackages: ["commander", "string-width", "uqr", "zod"],
    node: "all",
  },
  // Examples import only what a user's program would import.
  {
    files: /^examples\//,
    workspacePackages: ["adapters", "api", "client", "contract", "daemon", "foreman", "runtime", "service"],
    node: "all",
    relativeImports: /^\.\//,
  },
  // Claims and benchmarks share measure/, and do not import each other.
  {
    files: /^(claims|bench|measure)\//,
    workspacePackages: [
      ...judge,
      "adapters",
      "api",
      "client",
      "conformance",
      "daemon",
      "engine",
      "fleet",
      "foreman",
      "lab",
      "nats",
      "server",
      "service",
      "testing",
      "tools",
      "web",
    ],
    npmPackages: [
      ...testTools,
      "@agentclientprotocol/sdk",
      "@modelcontextprotocol/client",
      "@nats-io",
      "axe-core",
      "markdown-it",
      "playwright-core",
      "ws",
      "zod",
    ],
    node: "all",
    relativeImports: /^(?!.*\/(claims|bench)\/)\.\.?\//,
  },
  {
    files: /^(test|scripts)\//,
    workspacePackages: [
      ...judge,
      "adapters",
      "api",
      "client",
      "conformance",
      "daemon",
      "engine",
      "fleet",
      "foreman",
      "lab",
      "nats",
      "server",
      "service",
      "testing",
      "web",
    ],
    npmPackages: [
      ...testTools,
      "@agentclientprotocol/sdk",
      "@nats-io",
      "github-slugger",
      "markdown-it",
      "oxc-parser",
      "playwright-core",
      "publint",
      "unbash",
      "ws",
      "yaml",
      "zod",
    ],
    node: "all",
    relativeImports: /^\.\.?\//,
  },
];

const files = globSync(
  ["packages/*/{src,programs}/**/*.{ts,tsx}", "{test,scripts,claims,bench,measure,examples}/**/*.ts"],
  {
    cwd: root,
  },
).toSorted();

function readImports(file: string): string[] {
  const text = readFileSync(`${root}/${file}`, "utf8");
  return [
    ...text.matchAll(/^(?:import|export)\b[^;]*?\bfrom "([^"]+)";|\bimport\("([^"]+)"\)|^import "([^"]+)";/gm),
  ].map((match) => match[1] ?? match[2] ?? match[3] ?? "");
}

function allows(rule: ImportRule, file: string, specifier: string): boolean {
  if (specifier.startsWith("node:")) return rule.node === "all" || (rule.node ?? []).includes(specifier);
  if (specifier.startsWith(".")) return rule.relativeImports?.test(specifier) ?? staysInPackage(file, specifier);
  const packageName = /^@fairlead\/([^/]+)/.exec(specifier)?.[1];
  if (packageName !== undefined) return (rule.workspacePackages ?? []).includes(packageName);
  return (rule.npmPackages ?? []).some((name) => specifier === name || specifier.startsWith(`${name}/`));
}

function staysInPackage(file: string, specifier: string): boolean {
  const packageFolder = /^packages\/[^/]+\//.exec(file)?.[0] ?? "";
  return new URL(specifier, `file:///${file}`).pathname.startsWith(`/${packageFolder}`);
}

/** Lists the imports that the rule of a file does not allow. A file without a rule is a breach too. */
function findBreaches(file: string, imports: readonly string[]): string[] {
  const rule = rules.find(({ files: pattern }) => pattern.test(file));
  if (rule === undefined) return [`${file} has no rule`];
  return imports
    .filter((specifier) => !allows(rule, file, specifier))
    .map((specifier) => `${file} imports ${specifier}`);
}

describe("imports", () => {
  test("finds the source files", () => expect(files.length).toBeGreaterThan(100));

  test("every file imports only what its rule allows", () => {
    expect(files.flatMap((file) => findBreaches(file, readImports(file)))).toEqual([]);
  });

  test("detects a breach", () => {
    expect(findBreaches("packages/kit/src/lines.ts", ["@fairlead/runtime"])).toHaveLength(1);
    expect(findBreaches("packages/kit/src/lines.ts", ["node:fs"])).toHaveLength(1);
    expect(findBreaches("packages/kit/src/lines.ts", ["../../runtime/src/home.ts"])).toHaveLength(1);
    expect(findBreaches("packages/adapters/src/shell/dialect.ts", ["../scripted/wire.ts"])).toHaveLength(1);
    expect(findBreaches("packages/adapters/src/shell/wire.ts", ["@fairlead/keeper"])).toHaveLength(1);
    expect(findBreaches("packages/unknown/src/index.ts", [])).toHaveLength(1);
    expect(findBreaches("packages/web/src/state/rows.ts", ["react", "../wire/x.ts", "node:fs"])).toHaveLength(3);
    expect(findBreaches("packages/web/src/views/usage/usage-view.tsx", ["@fairlead/client"])).toHaveLength(1);
    expect(findBreaches("packages/web/src/components/age.tsx", ["../wire/sign-in.ts"])).toHaveLength(1);
    expect(findBreaches("packages/server/src/http/app.ts", ["@fairlead/web/page-folder"])).toHaveLength(1);
  });
});

describe("names", () => {
  const vendors = /claude|anthropic|codex|openai|gemini|openclaw|opencode|sourcegraph|\bamp\b/i;
  const allowed = /^packages\/(adapters|lab|openai-agent|testing\/src\/openai-agent)\//;
  // The function and the type of the NATS client have this name.
  const vague = /\b(?!jetstreamManager\b|JetStreamManager\b)\w*(Manager|Helper|Utils?)\b/;

  test("only adapters, lab and openai-agent name vendors", () => {
    const checkedFiles = files.filter((file) => file.startsWith("packages/") && !allowed.test(file));
    expect(checkedFiles.filter((file) => vendors.test(readFileSync(`${root}/${file}`, "utf8")))).toEqual([]);
  });

  test("no name contains Manager, Helper or Utils", () => {
    const checkedFiles = files.filter((file) => file.startsWith("packages/"));
    expect(checkedFiles.filter((file) => vague.test(readFileSync(`${root}/${file}`, "utf8")))).toEqual([]);
  });
});

describe("the page", () => {
  // Agents' text would become elements that run code, or load something from another site.
  const unsafe =
    /\b(dangerouslySetInnerHTML|(inner|outer)HTML|insertAdjacentHTML|createContextualFragment|setHTMLUnsafe|srcdoc|srcDoc|DOMParser|eval|Function)\b(?!\w)|document\.write/;
  const pageFiles = globSync("packages/web/{index.html,src/**/*.{ts,tsx}}", { cwd: root });

  test("makes elements of text, never HTML", () => {
    expect(pageFiles.length).toBeGreaterThan(10);
    expect(pageFiles.filter((file) => unsafe.test(readFileSync(`${root}/${file}`, "utf8")))).toEqual([]);
  });

  test.each([
    "element.innerHTML = text;",
    "<p dangerouslySetInnerHTML={{ __html: text }} />",
    "<iframe srcDoc={text} />",
  ])("the check finds %s", (text) => expect(text).toMatch(unsafe));
});
