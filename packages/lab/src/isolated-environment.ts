import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Lab } from "./lab.ts";

/** The key of an agent whose own is withheld. Claude Code compares the last 20 characters. */
const standInKey = "withheld-by-fairlead";
/** The API key that agents send to the lab. The lab does not check it. */
export const labApiKey = "a-key-of-the-lab";

/**
 * Creates the complete environment for an agent in the lab. All its files are below `folder`, and its only model is the
 * lab's. It inherits only PATH and LANG, so that a person's login and settings cannot leak in. The agent trusts
 * `trustedFolder` and what is below it, but not a git repository there, which must be named itself.
 */
export function isolatedEnvironment(
  folder: string,
  lab: Pick<Lab, "url">,
  trustedFolder = dirname(folder),
): Record<string, string> {
  const home = join(folder, "home");
  const configuration = join(home, ".claude");
  const temporary = join(folder, "tmp");
  for (const path of [configuration, temporary]) mkdirSync(path, { recursive: true });
  writeOnboardingState(configuration, trustedFolder);
  return {
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    LANG: process.env["LANG"] ?? "C.UTF-8",
    HOME: home,
    TMPDIR: temporary,
    CLAUDE_CONFIG_DIR: configuration,
    ANTHROPIC_BASE_URL: lab.url,
    ANTHROPIC_API_KEY: labApiKey,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_TELEMETRY: "1",
  };
}

/**
 * Stores the answers to the first-run dialogs: theme, API key and trusted folders. Without them the terminal waits for
 * a person.
 */
function writeOnboardingState(configuration: string, trustedFolder: string): void {
  const file = join(configuration, ".claude.json");
  if (existsSync(file)) return;
  const onboardingState = {
    hasCompletedOnboarding: true,
    theme: "dark",
    customApiKeyResponses: { approved: [labApiKey, standInKey], rejected: [] },
    projects: { [trustedFolder]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
  };
  writeFileSync(file, JSON.stringify(onboardingState));
}
