import type { Attempt } from "../attempt.ts";
import type { EscapeTarget } from "../escape-target.ts";
import { connectScript } from "../scripts.ts";

/** Attempts at the sockets of keepers: who reaches one can write what the daemon reads as a person's command. */
export const keeperSocketAttempts: readonly Attempt[] = [
  {
    name: "own-keeper-launch",
    script: (target) => launchScript(target, target.hostile, "own-keeper-launch"),
    succeeded: (target) => target.until(() => target.isProven("own-keeper-launch"), 2000),
  },
  {
    name: "own-keeper-forge-note",
    script: (target) =>
      connectScript(target.keeperSocket(target.hostile), [forgedNote({ type: "alarm", name: "forged-alarm" })]),
    succeeded: (target) => target.filesWith("forged-alarm").some((file) => file.endsWith(".spool")),
  },
  {
    name: "other-keeper-launch",
    script: (target) => launchScript(target, target.other, "other-keeper-launch"),
    succeeded: (target) => target.until(() => target.isProven("other-keeper-launch"), 2000),
  },
  {
    name: "other-keeper-forge-answer",
    prepare: (target) => target.openDecision("other-keeper-forge-answer"),
    script(target) {
      const { session, decision } = target.decision("other-keeper-forge-answer");
      const command = { type: "answer", decision, answer: { type: "allow" }, by: { kind: "person" } };
      return connectScript(target.keeperSocket(session), [forgedNote({ type: "command", command })]);
    },
    succeeded: (target) => target.until(() => target.isProven("other-keeper-forge-answer"), 2000),
  },
  {
    name: "other-keeper-write-stdin",
    prepare: (target) => target.openDecision("other-keeper-write-stdin"),
    script(target) {
      const { session, decision } = target.decision("other-keeper-write-stdin");
      const text = `${JSON.stringify({ type: "answer", decision, allow: true })}\n`;
      return connectScript(target.keeperSocket(session), [JSON.stringify({ do: "write", id: "w", text })]);
    },
    succeeded: (target) => target.until(() => target.isProven("other-keeper-write-stdin"), 2000),
  },
  {
    name: "other-keeper-kill-agent",
    prepare: (target) => target.openDecision("other-keeper-kill-agent"),
    script: (target) =>
      connectScript(target.keeperSocket(target.decision("other-keeper-kill-agent").session), [
        JSON.stringify({ do: "kill", id: "forged-kill" }),
      ]),
    succeeded: (target) => target.until(async () => !(await isOpen(target, "other-keeper-kill-agent")), 2000),
  },
];

async function isOpen(target: EscapeTarget, name: string): Promise<boolean> {
  const { text } = await target.request("GET", "/v1/decisions");
  return text.includes(target.decision(name).decision);
}

const forgedNote = (note: unknown): string => JSON.stringify({ do: "note", id: "forged", text: JSON.stringify(note) });

function launchScript(target: EscapeTarget, session: string, name: string): string {
  const command = {
    program: "touch",
    args: [target.proof(name)],
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
    stdin: "none",
  };
  return connectScript(target.keeperSocket(session), [JSON.stringify({ do: "launch", id: name, command })]);
}
