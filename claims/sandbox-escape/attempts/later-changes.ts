import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Attempt } from "../attempt.ts";
import type { EscapeTarget } from "../escape-target.ts";
import { createRepository, git, runsPlanted } from "../repository.ts";
import { connectScript, quote } from "../scripts.ts";
import { serveSecret } from "../servers.ts";

/**
 * Attempts after something changed outside while the agent's process ran. Its mounts are made when it starts, and a mount
 * over a file is gone once the file is replaced by another.
 */
export const laterChangeAttempts: readonly Attempt[] = [
  {
    ...laterAttempt("socket-created-later", async (target) => {
      target.hold(await serveSecret(target.secret, { path: target.inHome("later.sock") }));
    }),
    script: (target) => afterChange(connectScript(target.inHome("later.sock"))),
    succeeded: (target, output) => output.includes(target.secret),
  },
  {
    ...laterAttempt("secret-created-later", (target) => {
      mkdirSync(target.inHome(".aws"));
      writeFileSync(target.inHome(".aws/credentials"), target.secret);
    }),
    script: (target) => afterChange(`cat ${quote(target.inHome(".aws/credentials"))}`),
    succeeded: (target, output) => output.includes(target.secret),
    restore: (target) => rmSync(target.inHome(".aws"), { recursive: true, force: true }),
  },
  {
    ...laterAttempt("secret-replaced-later", (target) => replaceFile(target.inHome(".netrc"), target.secret)),
    script: (target) => afterChange(`cat ${quote(target.inHome(".netrc"))}`),
    succeeded: (target, output) => output.includes(target.secret),
    restore: (target) => target.writeHomeFiles(),
  },
  {
    ...laterAttempt("protected-file-replaced-later", (target) => replaceFile(tasksFile(target), "{}")),
    prepare(target) {
      createRepository(target);
      mkdirSync(join(target.workspace, ".vscode"));
      writeFileSync(tasksFile(target), "{}");
    },
    script: () => afterChange("echo planted > .vscode/tasks.json"),
    succeeded: (target) => readFileSync(tasksFile(target), "utf8").includes("planted"),
    restore: createRepository,
  },
  {
    ...laterAttempt("git-configured-later", (target) => git(target, "config", "user.signingKey", "x")),
    prepare: createRepository,
    script: (target) => afterChange(`git config core.fsmonitor "touch ${target.proof("git-configured-later")}; false"`),
    succeeded: (target) => runsPlanted(target, "git-configured-later", target.workspace),
    restore: createRepository,
  },
];

const tasksFile = (target: EscapeTarget): string => join(target.workspace, ".vscode/tasks.json");

/** Replaces a file as editors and programs do that write safely. */
function replaceFile(file: string, content: string): void {
  writeFileSync(`${file}.new`, content);
  renameSync(`${file}.new`, file);
}

/** A script that waits until the change was made. */
const afterChange = (script: string): string =>
  `touch waits; for i in $(seq 100); do [ -e changed ] && break; sleep 0.1; done; rm -f waits changed; ${script}`;

function laterAttempt(
  name: string,
  change: (target: EscapeTarget) => void | Promise<void>,
): Required<Pick<Attempt, "name" | "during">> {
  return {
    name,
    async during(target) {
      await target.until(() => existsSync(join(target.workspace, "waits")) || target.isIdle);
      await change(target);
      writeFileSync(join(target.workspace, "changed"), "");
    },
  };
}
