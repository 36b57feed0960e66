import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseShell, type ShellReading } from "@fairlead/kit";
import type { Claim } from "../../measure/claim.ts";
import { composeLines } from "./compose-lines.ts";
import { Oracle, type ExecutedCommand } from "./oracle.ts";

const corpus = join(import.meta.dirname, "../policy-corpus");

interface Outcome {
  readonly lines: number;
  readonly executed: number;
  /** Executed commands of lines about which the reading has no doubt. */
  readonly judged: number;
  readonly unseen: readonly string[];
}

export const execOracle: Claim = {
  id: "exec-oracle",
  statement: "A shell text executes nothing that its reading neither lists nor doubts.",
  bound:
    "≥ 500 lines run by real bash among logging stubs: 0 executed commands neither seen nor flagged, > 0 executed; control: a reading without substitutions misses some",
  async prove() {
    const lines = [
      ...readLines("shell-commands.jsonl"),
      ...readLines("held-out.jsonl"),
      ...readLines("second-held-out.jsonl"),
      ...composeLines(),
    ];
    // They would start processes without end.
    const runnable = lines.filter(
      (line) => !parseShell(line).doubts.some(({ reason }) => reason.includes("calls itself")),
    );
    const names = new Set(lines.flatMap((line) => line.match(/[A-Za-z_][\w.+-]*/g) ?? []));
    using oracle = new Oracle(names);
    for (const line of new Set(runnable)) await oracle.run(line);
    const executions = oracle.read();
    const outcome = judge(executions, parseShell);
    const control = judge(executions, (line) => parseShell(line.replaceAll(/\$\([^()]*\)|`[^`]*`/g, "x")));
    for (const line of outcome.unseen.slice(0, 20)) console.log(`not seen: ${line}`);
    return {
      measured:
        `${outcome.lines} lines (${lines.length - runnable.length} left out that would fork without end), ${outcome.executed} executed commands, ` +
        `${outcome.judged} of them in lines without doubt, ${outcome.unseen.length} neither seen nor flagged; control: ${control.unseen.length}`,
      holds: outcome.lines >= 500 && outcome.judged > 0 && outcome.unseen.length === 0 && control.unseen.length > 0,
    };
  },
};

function readLines(file: string): string[] {
  const lines = readFileSync(join(corpus, file), "utf8").trim().split("\n");
  return lines.map((line) => (JSON.parse(line) as { cmd: string }).cmd);
}

function judge(
  executions: ReadonlyMap<string, readonly ExecutedCommand[]>,
  read: (line: string) => ShellReading,
): Outcome {
  let [executed, judged] = [0, 0];
  const unseen: string[] = [];
  for (const [line, commands] of executions) {
    executed += commands.length;
    const reading = read(line);
    if (reading.doubts.length > 0) continue;
    judged += commands.length;
    const missing = commands.find((command) => !isSeen(command, reading));
    if (missing !== undefined) unseen.push(`${JSON.stringify(missing)} of ${JSON.stringify(line)}`);
  }
  return { lines: executions.size, executed, judged, unseen };
}

/** A command was seen if the reading has one with its name and, where the reading knows all arguments, with these. */
function isSeen({ program, args }: ExecutedCommand, { commands }: ShellReading): boolean {
  return commands.some((command) => {
    // `sh NAME` executes the file NAME, which it also looks for in the PATH.
    const [script] = command.args;
    if (/^(?:ba|da)?sh$/.test(command.program ?? "") && script?.value === program) return true;
    if (command.program !== program) return false;
    const known = command.args.map(({ value }) => value);
    if (known.includes(null)) return true;
    return (
      known.length === args.length && known.every((value, at) => value === args[at] || value?.startsWith("~") === true)
    );
  });
}
