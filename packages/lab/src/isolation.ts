import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Lab } from "./lab.ts";

/**
 * The whole environment for an agent of the lab: everything that it keeps lies below `folder`, and the only model that it
 * knows is the lab's. Nothing is inherited but PATH and LANG, so that neither a person's login nor settings can leak in.
 */
export function isolatedEnvironment(folder: string, lab: Pick<Lab, "url">): Record<string, string> {
  const home = join(folder, "home");
  const configuration = join(home, ".claude");
  const temporary = join(folder, "tmp");
  for (const path of [configuration, temporary]) mkdirSync(path, { recursive: true });
  return {
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    LANG: process.env["LANG"] ?? "C.UTF-8",
    HOME: home,
    TMPDIR: temporary,
    CLAUDE_CONFIG_DIR: configuration,
    ANTHROPIC_BASE_URL: lab.url,
    ANTHROPIC_API_KEY: "a-key-of-the-lab",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_TELEMETRY: "1",
  };
}
