import { readFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { TestCli } from "@fairlead/testing/cli/test-cli.ts";
import { describe, expect, it } from "vitest";
import { parseFirstFiveMinutes, renderFirstFiveMinutes, transcriptPage } from "../scripts/first-five-minutes-page.ts";
import { findProblems, insertSessionId, readQuickStart, type TypedCommand } from "../scripts/quick-start.ts";
import { root } from "../scripts/run.ts";

const readme = readFileSync(join(root, "README.md"), "utf8");
const page = readFileSync(transcriptPage, "utf8");
const { commands } = parseFirstFiveMinutes(page);

/** Returns the commands of a README's quick start, with the id of the page's session. */
function linesOf(text: string): string[] {
  return readQuickStart(text).map((line) => insertSessionId(line, commands));
}

describe("docs/use/first-five-minutes.md (node scripts/first-five-minutes.ts writes it)", () => {
  it("has the commands of the README's quick start", () => {
    expect(commands.map(({ line }) => line)).toEqual(linesOf(readme));
  });

  it.each([
    ["fairlead logs", "fairlead logs --json"],
    ['"And again"', '"Again"'],
    ["fairlead run", "fairlead ls\nfairlead run"],
  ])("does not have them if the README has %j replaced by %j", (before, after) => {
    const [intro = "", quickStart = ""] = readme.split("<!-- quick-start -->");
    const changedReadme = `${intro}<!-- quick-start -->${quickStart.replace(before, after)}`;
    expect(linesOf(changedReadme)).not.toEqual(linesOf(readme));
  });

  it("reports a README without a quick start, and an id that no command has printed", () => {
    expect(() => readQuickStart("# Fairlead\n")).toThrow("no sh block");
    expect(() => insertSessionId("fairlead logs ID", [])).toThrow("needs a session");
  });

  it("has the text that the script writes", () =>
    expect(page).toBe(renderFirstFiveMinutes(parseFirstFiveMinutes(page))));

  it("shows an answered approval, a resumed turn and both turns in the log", () => {
    expect(findProblems(commands)).toEqual([]);
  });

  it.each([
    [/top y$/gm, "top n", 2],
    [/^Resumed \w+\.$/gm, "Started.", 1],
    [/^Resumed, with .*$/gm, "Resumed, with a new conversation.", 1],
    [/^> And again$/gm, "> Something else", 1],
    [/^— completed.*$/gm, "— failed", 3],
    [/^added .*$/gm, "npm error 404", 1],
  ])("detects %s replaced by %j", (pattern, replacement, count) => {
    const changed = commands.map(({ line, screen }) => ({ line, screen: screen.replaceAll(pattern, replacement) }));
    expect(findProblems(changed)).toHaveLength(count);
  });

  it.each(commands.map(({ line }) => line))("detects that `%s` is missing", (line) =>
    expect(findProblems(commands.filter((one) => one.line !== line))).not.toEqual([]),
  );

  it("contains no path of the machine that wrote it", () => expect(page).not.toMatch(/\/(tmp|home|root|work)\b/));

  it("shows what the program prints today", { timeout: 90_000 }, async () => {
    await using cli = new TestCli();
    const printed: TypedCommand[] = [];
    for (const template of readQuickStart(readme)) {
      // The installation needs a network.
      if (template.startsWith("npm ")) continue;
      const line = insertSessionId(template, printed);
      const screen = await runInTerminal(cli, line);
      printed.push({ line, screen });
      const shown = commands.find((command) => command.line === insertSessionId(template, commands));
      expect(normalize(screen)).toEqual(normalize(shown?.screen ?? "").slice(1));
    }
  });
});

/** Runs a command line in a terminal and answers its approvals with `y`. Returns what it printed. */
async function runInTerminal(cli: TestCli, line: string): Promise<string> {
  const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([word, quoted]) => quoted ?? word);
  const terminal = cli.terminal(words.slice(1));
  const approvals = /^fairlead (run|resume) /.test(line) ? 2 : 0;
  for (let answered = 0; answered < approvals; answered += 1) {
    await terminal.waitForText("[s]top");
    terminal.press("y\r");
  }
  expect(await terminal.exitCode()).toBe(0);
  return stripVTControlCharacters(terminal.screen);
}

/** Returns the lines without what differs between runs: ids, versions, times, folders and the user. */
function normalize(screen: string): string[] {
  return screen
    .replaceAll("\r", "")
    .replaceAll(/(session|resume|Resumed) [a-z0-9]{12}\b/g, "$1 ID")
    .replaceAll(/by a person \(.+?\)/g, "by a person (NAME)")
    .replaceAll(/agent \d+\.\d+\.\d+/g, "agent VERSION")
    .replaceAll(/· [\d.]+ m?s$/gm, "· TIME")
    .replaceAll(/· [~/]\S+$/gm, "· FOLDER")
    .trim()
    .split("\n")
    .map((text) => text.trimEnd());
}
