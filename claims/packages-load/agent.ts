/**
 * A small agent: `node agent.ts MESSAGE` carries out each line of the message, such as `say TEXT`, `wait MILLISECONDS`,
 * `write PATH TEXT`, `run COMMAND` or `fail`. It prints what it says.
 */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

const [message = ""] = process.argv.slice(2);
if (message === "--version") console.log("1.0.0");
else if (message === "--help") console.log("Usage: node agent.ts MESSAGE");
else for (const line of message.split("\n")) await carryOut(line);

async function carryOut(line: string): Promise<void> {
  const [, verb = "", text = ""] = /^(\w+) ?(.*)$/.exec(line) ?? [];
  if (verb === "say") console.log(text);
  if (verb === "wait") await wait(Number(text));
  if (verb === "run") spawnSync("sh", ["-c", text], { stdio: "inherit" });
  if (verb === "write") {
    const [path = "", ...words] = text.split(" ");
    writeFileSync(path, words.join(" "));
  }
  if (verb === "fail") process.exit(1);
}
