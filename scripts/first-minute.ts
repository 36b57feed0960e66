/**
 * Installs Fairlead in an empty home, runs the first commands and writes their output into the README: `node
 * scripts/first-minute.ts`.
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { endProcessesOfHome } from "./end-processes-of-home.ts";
import { pack } from "./pack.ts";
import { root } from "./run.ts";

const readmeMarkers = ["<!-- first-minute -->", "<!-- /first-minute -->"] as const;

export interface FirstMinute {
  /** Milliseconds for the installation with an empty npm cache. */
  readonly install: number;
  /** Milliseconds from the start of `fairlead run` to the first event that it shows. */
  readonly firstEvent: number;
  /** The commands and their output. */
  readonly transcript: string;
}

/** Packs Fairlead, then installs it and runs the first commands in an empty home. */
export async function runFirstMinute(): Promise<FirstMinute> {
  const folder = mkdtempSync(join(tmpdir(), "m-")); // A short path, because the keeper's socket is below it.
  const home = join(folder, "home");
  const cwd = join(home, "hello");
  mkdirSync(cwd, { recursive: true });
  try {
    const { tarball } = await pack(cwd);
    const lines = [
      `npm install --global .${tarball.slice(cwd.length)}`,
      'fairlead run scripted --mode full-auto "Say hello"',
      "fairlead ls",
    ];
    const runs: CommandRun[] = [];
    for (const line of lines) runs.push(await runCommandLine(line, cwd, createEnvironment(folder, home)));
    const transcript = lines.map((line, index) => `$ ${line}\n${runs[index]?.output.trim()}`).join("\n\n");
    return {
      install: runs[0]?.duration ?? Infinity,
      firstEvent: runs[1]?.firstEvent ?? Infinity,
      transcript: transcript.replaceAll(home, "~"),
    };
  } finally {
    await endProcessesOfHome(home);
    rmSync(folder, { recursive: true, force: true });
  }
}

interface CommandRun {
  readonly output: string;
  /** Milliseconds until the output shows the first event, which is the start of the session. */
  readonly firstEvent: number;
  /** Milliseconds. */
  readonly duration: number;
}

async function runCommandLine(line: string, cwd: string, env: NodeJS.ProcessEnv): Promise<CommandRun> {
  const startedAt = performance.now();
  const child = spawn("bash", ["-c", `${line} 2>&1`], { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  let firstEvent = Infinity;
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
    if (/ · session \w+/.test(output)) firstEvent = Math.min(firstEvent, performance.now() - startedAt);
  });
  const code = await new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  if (code !== 0) throw new Error(`${line} exited with ${String(code)}:\n${output}`);
  return { output, firstEvent, duration: performance.now() - startedAt };
}

/** Creates an environment with a new home, npm prefix and npm cache. It inherits only the registry settings. */
function createEnvironment(folder: string, home: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) =>
    /^(npm_config_registry|.*_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|LANG)$/i.test(name),
  );
  return {
    ...Object.fromEntries(inherited),
    PATH: [join(folder, "npm/bin"), dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(":"),
    HOME: home,
    npm_config_prefix: join(folder, "npm"),
    npm_config_cache: join(folder, "cache"),
    npm_config_fund: "false",
    npm_config_update_notifier: "false",
  };
}

/** Returns the text between the markers of the README. */
export function extractTranscript(page: string): string {
  const [open, close] = readmeMarkers;
  return page.slice(page.indexOf(open) + open.length, page.indexOf(close)).trim();
}

function insertTranscript(page: string, transcript: string): string {
  const [open, close] = readmeMarkers.map((marker) => page.indexOf(marker));
  if (open === undefined || close === undefined || open < 0 || close < open)
    throw new Error(`The transcript cannot be written: README.md has no ${readmeMarkers.join(" … ")} markers.`);
  return `${page.slice(0, open)}${readmeMarkers[0]}\n\n\`\`\`console\n${transcript}\n\`\`\`\n\n${page.slice(close)}`;
}

if (import.meta.main) {
  const readme = join(root, "README.md");
  const { transcript, install, firstEvent } = await runFirstMinute();
  writeFileSync(readme, insertTranscript(readFileSync(readme, "utf8"), transcript));
  console.log(`installed in ${(install / 1000).toFixed(1)} s, first event after ${(firstEvent / 1000).toFixed(1)} s`);
}
