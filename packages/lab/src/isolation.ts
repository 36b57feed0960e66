import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Lab } from "./lab.ts";

const key = "a-key-of-the-lab";

/**
 * The whole environment for an agent of the lab: everything that it keeps lies below `folder`, and the only model that it
 * knows is the lab's. Nothing is inherited but PATH and LANG, so that neither a person's login nor settings can leak in.
 */
export function isolatedEnvironment(folder: string, lab: Pick<Lab, "url">): Record<string, string> {
  const home = join(folder, "home");
  const configuration = join(home, ".claude");
  const temporary = join(folder, "tmp");
  for (const path of [configuration, temporary]) mkdirSync(path, { recursive: true });
  welcomed(configuration, dirname(folder));
  return {
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    LANG: process.env["LANG"] ?? "C.UTF-8",
    HOME: home,
    TMPDIR: temporary,
    CLAUDE_CONFIG_DIR: configuration,
    ANTHROPIC_BASE_URL: lab.url,
    ANTHROPIC_API_KEY: key,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_TELEMETRY: "1",
  };
}

/** What a person answers when the terminal is opened for the first time: how it looks, whose key, and which folders to trust. */
function welcomed(configuration: string, trusted: string): void {
  const file = join(configuration, ".claude.json");
  if (existsSync(file)) return;
  const answered = {
    hasCompletedOnboarding: true,
    theme: "dark",
    customApiKeyResponses: { approved: [key], rejected: [] },
    projects: { [trusted]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
  };
  writeFileSync(file, JSON.stringify(answered));
}
