#!/usr/bin/env node
/** The scripted agent's own terminal: it shows a conversation, says the script in each line, and saves both. */
import { appendFileSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { findScript } from "@fairlead/kit";
import { demoScript, ScriptedStep, type ScriptedAgentOutput } from "../src/scripted/wire.ts";

const conversation = process.argv[2] ?? "";
const folder = join(process.env["XDG_STATE_HOME"] ?? join(homedir(), ".local", "state"), "fairlead-scripted");
const historyFile = join(folder, `${conversation}.jsonl`);
const lines = createInterface({ input: process.stdin, output: process.stdout, prompt: "> " });

function redraw(): void {
  const messages = readFileSync(historyFile, "utf8").trimEnd().split("\n");
  process.stdout.write("\u001B[2J\u001B[H");
  console.log(`Scripted agent, ${process.stdout.columns} by ${process.stdout.rows}. Ctrl-D leaves.`);
  for (const line of messages) {
    const entry = JSON.parse(line) as unknown;
    if (typeof entry === "string") console.log(`> ${entry}`);
  }
  lines.prompt(true);
}

function save(entry: string | ScriptedAgentOutput): void {
  appendFileSync(historyFile, `${JSON.stringify(entry)}\n`);
}

// Enables bracketed paste, so that the terminal separates pasted text from typed text.
process.stdout.write("\u001B[?2004h");
process.stdout.on("resize", redraw);
redraw();
for await (const line of lines) {
  if (line !== "") {
    save(line);
    for (const { text } of (findScript(line) ?? demoScript).map((step) => ScriptedStep.parse(step))) {
      if (!text) continue;
      save({ type: "spoken", what: "text", text });
      console.log(text);
    }
    save({ type: "done", outcome: "completed" });
  }
  lines.prompt();
}
