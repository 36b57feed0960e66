import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Attempt } from "../attempt.ts";
import type { EscapeTarget } from "../escape-target.ts";
import { quote } from "../scripts.ts";

/**
 * Attempts through the folders of an agent's own, which stay writable in all its sessions: what one session leaves there can
 * change what the next one sees. The agents' programs are stand-ins, so that they do what the attempt wants.
 */
export const ownFolderAttempts: readonly Attempt[] = [
  {
    ...laidLink("own-folder-link-to-secrets", (target) => target.inHome(".ssh")),
    script: () => "true",
    succeeded: async (target) =>
      (await runAsAgent(target, "claude", `cat ${quote(target.inHome(".ssh/id_key"))}`)).includes(target.secret),
  },
  {
    ...laidLink("own-folder-link-to-data-directory", (target) => target.home),
    script: () => "true",
    succeeded: async (target) =>
      (await runAsAgent(target, "claude", `ls ${quote(target.inData("sessions"))}`)).includes(target.other),
  },
  {
    name: "own-folder-moved-away",
    async prepare(target) {
      // As with a tool that links settings from a folder of dotfiles, in which the agent now works.
      mkdirSync(target.inHome("dotfiles/agents/claude"), { recursive: true });
      rmSync(target.inHome(".claude"), { recursive: true, force: true });
      symlinkSync(target.inHome("dotfiles/agents/claude"), target.inHome(".claude"));
      const link = `mv agents old && mkdir agents && ln -s ${quote(target.inHome(".ssh"))} agents/claude`;
      await runAsAgent(target, "claude", link, target.inHome("dotfiles"));
    },
    script: () => "true",
    async succeeded(target) {
      await runAsAgent(target, "claude", `echo planted >> ${quote(target.inHome(".ssh/authorized_keys"))}`);
      return existsSync(target.inHome(".ssh/authorized_keys"));
    },
    restore(target) {
      for (const path of ["dotfiles", ".claude", ".ssh/authorized_keys"]) {
        rmSync(target.inHome(path), { recursive: true, force: true });
      }
    },
  },
  {
    name: "own-program-in-own-folder",
    prepare(target) {
      installStandIn(target, "codex", ".codex/packages/standalone/1/codex");
      symlinkSync("1", target.inHome(".codex/packages/standalone/current"));
      symlinkSync(target.inHome(".codex/packages/standalone/current/codex"), target.inHome("bin/codex"));
    },
    script: () => "true",
    async succeeded(target) {
      const program = target.inHome(".codex/packages/standalone/1/codex");
      await runAsAgent(target, "codex", `echo "# planted" >> ${quote(program)}`);
      const isChanged = readFileSync(program, "utf8").includes("planted");
      await runAsAgent(target, "codex", "cd ~/.codex/packages/standalone && mkdir 2 && ln -sfn 2 current");
      return isChanged || existsSync(target.inHome(".codex/packages/standalone/2"));
    },
    restore(target) {
      for (const path of [".codex", "bin/codex"]) rmSync(target.inHome(path), { recursive: true, force: true });
    },
  },
];

/** An attempt whose first session lays a link at a missing path that the agent reads in all its sessions. */
function laidLink(
  name: string,
  destination: (target: EscapeTarget) => string,
): Required<Pick<Attempt, "name" | "prepare" | "restore">> {
  return {
    name,
    async prepare(target) {
      await runAsAgent(target, "claude", `mkdir -p ~/.claude; ln -s ${quote(destination(target))} ~/.claude/skills`);
      if (!existsSync(target.inHome(".claude/skills"))) throw new Error("The link was not laid.");
    },
    restore: (target) => rmSync(target.inHome(".claude"), { recursive: true, force: true }),
  };
}

const agentIds = { claude: "claude-code", codex: "codex" } as const;

/** Starts a session whose agent runs a script in place of its work. Returns what the script printed. */
async function runAsAgent(
  target: EscapeTarget,
  program: keyof typeof agentIds,
  script: string,
  folder = target.inHome("own-folder-workspace"),
): Promise<string> {
  mkdirSync(folder, { recursive: true });
  // An earlier attempt may have planted something in it, and these agents can be started only if it can be read.
  rmSync(target.inData("trusted.json"), { force: true });
  if (program === "claude") installStandIn(target, program, "bin/claude");
  const [output, end] = [join(folder, "output"), join(folder, "end")];
  writeFileSync(join(folder, "script.sh"), script);
  const session = await target.startHostile(agentIds[program], "x", { workspace: folder });
  const hasEnded = await target.until(() => existsSync(end));
  await target.mustRun(["stop", session]);
  const text = existsSync(output) ? readFileSync(output, "utf8") : "";
  for (const file of [output, end]) rmSync(file, { force: true });
  if (!hasEnded) throw new Error(`The stand-in of ${program} did not run.`);
  return text;
}

/** Writes a program that is found and has a version like the vendor's, and runs the script of its workspace. */
function installStandIn(target: EscapeTarget, name: string, path: string): void {
  const version = name === "claude" ? "2.1.325 (Claude Code)" : "codex-cli 0.166.0";
  const program = `#!/bin/bash
case "$*" in *--version*) echo "${version}"; exit;; *--help*) exit;; esac
bash ./script.sh > output 2>&1
touch end
`;
  mkdirSync(dirname(target.inHome(path)), { recursive: true });
  writeFileSync(target.inHome(path), program, { mode: 0o755 });
}
