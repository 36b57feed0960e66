import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { extractTranscript } from "../scripts/first-minute.ts";
import { root } from "../scripts/run.ts";

const transcript = extractTranscript(readFileSync(join(root, "README.md"), "utf8"));
const typedCommands = [...transcript.matchAll(/^\$ fairlead (.+)$/gm)].map((match) => match[1] ?? "");

/** Returns the command or the options of a command line that the CLI's help does not list. */
function findUnknownWords(line: string): string[] {
  const [command = "", ...words] = line.split(" ");
  const help = spawnSync(process.execPath, [join(root, "packages/cli/src/main.ts"), command, "--help"], {
    encoding: "utf8",
  });
  // For an unknown command the CLI prints its general help.
  if (!help.stdout.startsWith(`Usage: fairlead ${command} `)) return [command];
  return words.filter((word) => word.startsWith("-") && !new RegExp(`${word}\\b`).test(help.stdout));
}

describe("the first minute in the README (node scripts/first-minute.ts writes it)", () => {
  it("contains commands", () => expect(typedCommands.length).toBeGreaterThan(1));

  it.each(typedCommands)("`fairlead %s` is a valid command line", (line) => expect(findUnknownWords(line)).toEqual([]));

  it("detects a command and an option that do not exist", () => {
    expect(findUnknownWords("unknown scripted")).toEqual(["unknown"]);
    expect(findUnknownWords("run scripted --unknown")).toEqual(["--unknown"]);
  });

  it("contains no path of the machine that wrote it", () => expect(transcript).not.toMatch(/\/(tmp|home|root)\b/));
});
