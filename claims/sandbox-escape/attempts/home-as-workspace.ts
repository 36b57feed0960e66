import { existsSync, readFileSync, rmSync } from "node:fs";
import type { Attempt } from "../attempt.ts";
import type { EscapeTarget } from "../escape-target.ts";
import { httpScript } from "../scripts.ts";

/** Attempts of an agent whose workspace is the user's home. */
export const homeAsWorkspaceAttempts: readonly Attempt[] = [
  secretAttempt("home-read-key", () => "cat .ssh/id_key .netrc"),
  secretAttempt("home-move-secret-folder", () => "mv .ssh keys; cat keys/id_key; mv keys .ssh"),
  {
    name: "home-daemon-socket",
    createWorkspace: ({ folder }) => folder,
    script: (target) => httpScript({ socketPath: target.socket }, { method: "GET", path: "/v1/sessions" }),
    succeeded: (target, output) => output.includes(target.other),
  },
  writeAttempt("home-write-startup-file", ".bashrc"),
  writeAttempt("home-create-startup-file", ".bash_profile"),
  writeAttempt("home-create-autostart-folder", ".config/autostart/planted.desktop"),
];

function secretAttempt(name: string, script: (target: EscapeTarget) => string): Attempt {
  return {
    name,
    createWorkspace: ({ folder }) => folder,
    script,
    succeeded: (target, output) => output.includes(target.secret),
  };
}

function writeAttempt(name: string, file: string): Attempt {
  return {
    name,
    createWorkspace: ({ folder }) => folder,
    script: () => `mkdir -p "$(dirname ${file})"; echo planted >> ${file}`,
    succeeded: (target) =>
      existsSync(target.inHome(file)) && readFileSync(target.inHome(file), "utf8").includes("planted"),
    restore(target) {
      rmSync(target.inHome(file), { force: true });
      target.writeHomeFiles();
    },
  };
}
