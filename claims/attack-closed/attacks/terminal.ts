import type { Attack, AttackOutcome } from "../attack.ts";
import type { AttackTarget } from "../attack-target.ts";

/** Attacks by an agent's text on the terminal of the person who reads it. */
export const terminalAttacks: readonly Attack[] = [
  {
    id: "hanging-text",
    goal: "1 MiB of one control character keeps the command busy, and Ctrl-C does not end it.",
    run: async (target) => await follow(target, String.raw`text("\u009d".repeat(500000) + "\n"); done()`),
  },
  {
    id: "hanging-output",
    goal: "A tool's output of 1 MiB of spaces keeps the command busy.",
    run: async (target) =>
      await follow(target, `tool("c1", "Bash", { command: "ls" }); result("c1", " ".repeat(1 << 20) + "x"); done()`),
  },
  {
    id: "hanging-approval",
    goal: "An approval's input of 512 KiB of spaces keeps `approve --show` busy.",
    async run(target) {
      await target.mustRun(["up"]);
      const session = await target.start(
        "claude-code",
        `tool("c1", "Bash", { command: "ls" }); ask("r1", "c1", "Bash", { command: "ls", note: " ".repeat(1 << 19) + "x" }); await answer(); done()`,
      );
      await target.untilState(session, ["waiting"]);
      const { code, milliseconds } = await target.run(["approve", session, "--show"], { timeoutMs: 10_000 });
      return { succeeded: code === null, seen: `--show ended with ${code} after ${milliseconds.toFixed(0)} ms` };
    },
  },
];

async function follow(target: AttackTarget, script: string): Promise<AttackOutcome> {
  await target.mustRun(["up"]);
  const { code, milliseconds } = await target.run(["run", "claude-code", script], { timeoutMs: 12_000 });
  return { succeeded: code === null, seen: `the command ended with ${code} after ${milliseconds.toFixed(0)} ms` };
}
