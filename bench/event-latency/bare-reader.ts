/** Reads the same agent over a bare pipe and prints the age of each tick: `node bare-reader.ts OPTIONS`. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const program = new URL("ticking-agent.ts", import.meta.url).pathname;
const agent = spawn(process.execPath, [program, process.argv[2] ?? ""], { stdio: ["pipe", "pipe", "inherit"] });
const ages: number[] = [];
agent.stdin.write("Go.\n");
createInterface({ input: agent.stdout }).on("line", (line) => {
  const now = process.hrtime.bigint();
  const said = JSON.parse(line) as { type: string; text?: string };
  if (said.type === "spoken" && said.text !== undefined) ages.push(Number(now - BigInt(said.text)) / 1e6);
  if (said.type !== "done") return;
  agent.stdin.end();
  console.log(JSON.stringify(ages));
  process.exit(0);
});
