/** Lives through a newcomer's first minute, and writes what was seen into the README: `node scripts/first-minute.ts`. */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { endAllOf } from "./end-all-of.ts";
import { pack } from "./pack.ts";
import { root } from "./run.ts";

const marks = ["<!-- first-minute -->", "<!-- /first-minute -->"] as const;

export interface FirstMinute {
  /** Milliseconds for the installation, with nothing in npm's cache. */
  readonly install: number;
  /** Milliseconds from the next command to the first event that it shows. */
  readonly firstEvent: number;
  /** What stood on the screen. */
  readonly transcript: string;
}

/** Packs Fairlead, then types what a newcomer would, in a home where nothing is. */
export async function firstMinute(): Promise<FirstMinute> {
  const folder = mkdtempSync(join(tmpdir(), "m-")); // short, for a keeper's socket lies below it
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
    const seen: Seen[] = [];
    for (const line of lines) seen.push(await type(line, cwd, environmentOf(folder, home)));
    const transcript = lines.map((line, at) => `$ ${line}\n${seen[at]?.output.trim()}`).join("\n\n");
    return {
      install: seen[0]?.took ?? Infinity,
      firstEvent: seen[1]?.firstEvent ?? Infinity,
      transcript: transcript.replaceAll(home, "~"),
    };
  } finally {
    await endAllOf(home);
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Seen {
  readonly output: string;
  /** Milliseconds until it showed the first event, which is that of the session's start. */
  readonly firstEvent: number;
  readonly took: number;
}

async function type(line: string, cwd: string, env: NodeJS.ProcessEnv): Promise<Seen> {
  const began = performance.now();
  const child = spawn("bash", ["-c", `${line} 2>&1`], { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  let firstEvent = Infinity;
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
    if (/ · session \w+/.test(output)) firstEvent = Math.min(firstEvent, performance.now() - began);
  });
  const code = await new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  if (code !== 0) throw new Error(`${line} exited with ${String(code)}:\n${output}`);
  return { output, firstEvent, took: performance.now() - began };
}

/** A new home, a new place for programs and an empty cache; of ours, only the way to the registry. */
function environmentOf(folder: string, home: string): NodeJS.ProcessEnv {
  const ways = Object.entries(process.env).filter(([name]) =>
    /^(npm_config_registry|.*_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|LANG)$/i.test(name),
  );
  return {
    ...Object.fromEntries(ways),
    PATH: [join(folder, "npm/bin"), dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(":"),
    HOME: home,
    npm_config_prefix: join(folder, "npm"),
    npm_config_cache: join(folder, "cache"),
    npm_config_fund: "false",
    npm_config_update_notifier: "false",
  };
}

/** What stands between the README's marks. */
export function transcriptIn(page: string): string {
  const [open, close] = marks;
  return page.slice(page.indexOf(open) + open.length, page.indexOf(close)).trim();
}

function withTranscript(page: string, transcript: string): string {
  const [open, close] = marks.map((mark) => page.indexOf(mark));
  if (open === undefined || close === undefined || open < 0 || close < open)
    throw new Error("The README has no marks.");
  return `${page.slice(0, open)}${marks[0]}\n\n\`\`\`console\n${transcript}\n\`\`\`\n\n${page.slice(close)}`;
}

if (import.meta.main) {
  const readme = join(root, "README.md");
  const { transcript, install, firstEvent } = await firstMinute();
  writeFileSync(readme, withTranscript(readFileSync(readme, "utf8"), transcript));
  console.log(`installed in ${(install / 1000).toFixed(1)} s, first event after ${(firstEvent / 1000).toFixed(1)} s`);
}
