import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** How long the program that opens the browser may take to fail. Some run as long as the browser. In milliseconds. */
const failureTimeout = 1500;

/** Finds the program that opens a URL in the person's browser, or null if the person has no browser here. */
export function findBrowser(
  environment: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): string | null {
  // The browser of a person who is connected from another machine is there.
  if (environment["SSH_CONNECTION"] !== undefined) return null;
  if (platform === "darwin") return findProgram("open", environment);
  // On WSL, the browser of Windows reaches the ports of 127.0.0.1.
  if (environment["WSL_DISTRO_NAME"] !== undefined)
    return findProgram("wslview", environment) ?? findProgram("explorer.exe", environment);
  const hasDisplay = Boolean(environment["DISPLAY"]) || Boolean(environment["WAYLAND_DISPLAY"]);
  return hasDisplay ? findProgram("xdg-open", environment) : null;
}

function findProgram(name: string, { PATH = "" }: Readonly<Record<string, string | undefined>>): string | null {
  const files = PATH.split(delimiter).map((folder) => join(folder, name));
  return files.find((file) => isExecutable(file)) ?? null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Opens a URL. Returns whether the program accepted it. */
export async function openBrowser(program: string, url: string): Promise<boolean> {
  const child = spawn(program, [url], { detached: true, stdio: "ignore" });
  const ended = new Promise<boolean>((resolve) => {
    child.once("error", () => resolve(false));
    // This program of Windows ends with 1 also if it opened the URL.
    child.once("exit", (code) => resolve(code === 0 || program.endsWith("explorer.exe")));
  });
  child.unref();
  const decided = new AbortController();
  try {
    return await Promise.race([ended, delay(failureTimeout, true, { signal: decided.signal })]);
  } finally {
    decided.abort();
  }
}
