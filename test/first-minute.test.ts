import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { transcriptIn } from "../scripts/first-minute.ts";
import { root } from "../scripts/run.ts";

const transcript = transcriptIn(readFileSync(join(root, "README.md"), "utf8"));
const typed = [...transcript.matchAll(/^\$ fairlead (.+)$/gm)].map((match) => match[1] ?? "");

/** What a command's help does not know of a line: the command itself, or some of its options. */
function unknownOf(line: string): string[] {
  const [command = "", ...words] = line.split(" ");
  const help = spawnSync(process.execPath, [join(root, "packages/cli/src/main.ts"), command, "--help"], {
    encoding: "utf8",
  });
  // For a command that is not there, it is the help of all.
  if (!help.stdout.startsWith(`Usage: fairlead ${command} `)) return [command];
  return words.filter((word) => word.startsWith("-") && !new RegExp(`${word}\\b`).test(help.stdout));
}

describe("the first minute in the README (node scripts/first-minute.ts writes it)", () => {
  it("has commands", () => expect(typed.length).toBeGreaterThan(1));

  it.each(typed)("`fairlead %s` is still typed like that", (line) => expect(unknownOf(line)).toEqual([]));

  it("would show a command or an option that is gone", () => {
    expect(unknownOf("fly scripted")).toEqual(["fly"]);
    expect(unknownOf("run scripted --sideways")).toEqual(["--sideways"]);
  });

  it("shows nothing of the machine that it was written on", () =>
    expect(transcript).not.toMatch(/\/(tmp|home|root)\b/));
});
