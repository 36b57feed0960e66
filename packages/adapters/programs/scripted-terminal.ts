#!/usr/bin/env node
/** The scripted agent's own terminal: it shows a conversation, answers by the script that a line carries, and remembers. */
import { appendFileSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { findScript } from "@fairlead/kit";
import { demoScript, Step } from "../src/scripted/wire.ts";

const conversation = process.argv[2] ?? "";
const folder = join(process.env["XDG_STATE_HOME"] ?? join(homedir(), ".local", "state"), "fairlead-scripted");
const memory = join(folder, `${conversation}.jsonl`);
const lines = createInterface({ input: process.stdin, output: process.stdout, prompt: "> " });

function draw(): void {
  const said = readFileSync(memory, "utf8").trimEnd().split("\n");
  process.stdout.write("\u001B[2J\u001B[H");
  console.log(`Scripted agent, ${process.stdout.columns} by ${process.stdout.rows}. Ctrl-D leaves.`);
  for (const line of said) console.log(`> ${JSON.parse(line) as string}`);
  lines.prompt(true);
}

// It listens, and can tell what is pasted from what is typed.
process.stdout.write("\u001B[?2004h");
process.stdout.on("resize", draw);
draw();
for await (const line of lines) {
  if (line !== "") {
    appendFileSync(memory, `${JSON.stringify(line)}\n`);
    for (const { text } of (findScript(line) ?? demoScript).map((step) => Step.parse(step)))
      if (text) console.log(text);
  }
  lines.prompt();
}
