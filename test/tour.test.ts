import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../scripts/run.ts";
import { createTourScripts, tourSections } from "../scripts/tour-sections.ts";

// `scripts/offline node scripts/tour.ts` writes the page. test/docs.test.ts parses its commands.
const page = readFileSync(join(root, "docs/use/tour.md"), "utf8");

/** Returns the parts of a page that look like the script of the scripted model. */
function findScripts(text: string): string[] {
  // A terminal wraps a long line, so a script may be split at any character.
  const unwrapped = text.replaceAll(/\n>? ?/g, "");
  return [...unwrapped.matchAll(/SCRIPT:|\{"(?:text|think|tools|hang|error)":/g)].map((match) => match[0]);
}

it("shows no script of the scripted model", () => expect(findScripts(page)).toEqual([]));

it("detects a script in a prompt, in a title and in a wrapped line", () => {
  expect(findScripts('$ fairlead run claude-code "Go. SCRIPT:[{"text":"Hello."}]"')).toHaveLength(2);
  expect(findScripts('paused  0 s  Write hello.txt. SCRIPT:[{"think":"One f…')).toHaveLength(2);
  expect(findScripts('> Write hello.txt. SCR\n> IPT:[{"th\n> ink":"One"}]')).toHaveLength(2);
});

/** Returns the command lines of `fairlead` that a text shows, without those that a full-screen program hides. */
function findCommands(lines: readonly string[]): string[] {
  return lines.filter((line) => line.startsWith("fairlead ") && !line.startsWith("fairlead attach ")).toSorted();
}

it.each(tourSections)("has the commands of the section $title", ({ title, intro, blocks }) => {
  const [, text = ""] = page.split(`\n## ${title}\n\n${intro}\n`);
  const shownLines = (text.split("\n## ")[0] ?? "").split("\n").map((line) => line.replace(/^\$ /, ""));
  const typedLines = blocks.flatMap(({ steps }) => steps.flatMap(({ type }) => type ?? []));
  expect(findCommands(shownLines)).toEqual(findCommands(typedLines));
});

it("has no other sections", () => {
  const titles = [...page.matchAll(/^## (.+)$/gm)].map((match) => match[1]);
  expect(titles).toEqual(tourSections.map(({ title }) => title));
});

it("uses every prompt of its scripted model, and the agent answers none without a script", () => {
  for (const prompt of Object.keys(createTourScripts((file) => file))) expect(page).toContain(prompt);
  expect(page).not.toMatch(/No script was given|The script is over/);
});

it("contains no path of the machine that wrote it", () => expect(page).not.toMatch(/\/(tmp|home|root|work)\b/));
