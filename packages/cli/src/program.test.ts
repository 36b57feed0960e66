import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { createProgram } from "./program.ts";

const program = createProgram(async () => {});

it("offers --json in every command that prints data", () => {
  const commandsWithoutJson = program.commands.filter(({ options }) => options.every(({ long }) => long !== "--json"));
  // These connect a terminal, run until they are stopped, serve a protocol, or print a script.
  expect(commandsWithoutJson.map((command) => command.name())).toEqual([
    "attach",
    "host",
    "gateway",
    "shim",
    "acp",
    "mcp",
    "completion",
  ]);
});

it("summarizes every command in one imperative sentence or two", () => {
  for (const command of program.commands) expect(command.summary()).toMatch(/^[A-Z][a-z]+[ ,].*\.$/);
});

it("fits the help of every command into 60 columns", () => {
  for (const command of [program, ...program.commands]) {
    let help = "";
    command.configureOutput({ writeOut: (text) => (help += text), getOutHelpWidth: () => 60 });
    command.outputHelp();
    for (const line of help.split("\n")) expect(line.length, line).toBeLessThanOrEqual(60);
  }
});

it("loads neither the runtime nor the server to print its version", () => {
  const hooks = `
    import { registerHooks } from "node:module";
    const urls = [];
    registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
    process.on("exit", () => console.error(JSON.stringify(urls)));
  `;
  const main = fileURLToPath(new URL("main.ts", import.meta.url));
  const hooksUrl = `data:text/javascript,${encodeURIComponent(hooks)}`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--import", hooksUrl, main, "--version"], {
    encoding: "utf8",
  });
  expect(stdout).toBe("0.1.0\n");
  const urls = JSON.parse(stderr) as string[];
  expect(urls.filter((url) => /\/packages\/(adapters|runtime|server|service)\//.test(url))).toEqual([
    expect.stringContaining("/runtime/src/home.ts"),
  ]);
});
