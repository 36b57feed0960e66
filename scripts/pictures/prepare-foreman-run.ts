import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestBench } from "@fairlead/conformance";
import { stringify } from "yaml";

/** Creates a repository with a bare remote, and a plan in which one finding is sent back and repaired. */
export function prepareForemanRun(workspace: string, benches: Readonly<Record<string, TestBench>>): void {
  const [builder, reviewer] = ["claude-code", "codex"] as const;
  const command = (files: Readonly<Record<string, string>>): string => {
    const run = Object.entries(files).map(
      ([path, text]) => `printf '%s\\n' '${text.replaceAll("'", "'\\''")}' > ${path}`,
    );
    return benches[builder]?.buildPrompt([{ actions: [{ run: run.join(" && ") }] }, { text: "Done." }], ".") ?? "";
  };
  const review = (verdict: string, findings: readonly object[]): string =>
    benches[reviewer]?.buildOfferedToolPrompt?.("submit_review", { verdict, findings }) ?? "";
  const repaired = command({ "greet.sh": "echo Hello", "review.txt": review("approve", []) });
  const finding = { path: "greet.sh", line: 1, what: `It greets nobody. ${repaired}`, severity: "error" };
  const first = command({ "greet.sh": "true", "review.txt": review("changes", [finding]) });
  const git = (...args: string[]): void => void execFileSync("git", args, { cwd: workspace });
  const remote = join(workspace, "remote.git");
  git("init", "--quiet", "--bare", remote);
  git("init", "--quiet", "--initial-branch=main");
  git("-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "--quiet", "--allow-empty", "-m", "start");
  git("remote", "add", "origin", remote);
  const plan = {
    goal: "Greet people in the terminal.",
    acceptance: ["sh greet.sh"],
    tasks: [{ id: "greeting", brief: `Write greet.sh. ${first}` }],
    builder: { agent: builder, mode: "full-auto", settings: benches[builder]?.settings },
    reviewer: { agent: reviewer, settings: benches[reviewer]?.settings },
    forge: { kind: "git" },
  };
  writeFileSync(join(workspace, "foreman.yaml"), stringify(plan));
}
