import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { ServiceTestHome } from "./service-test-home.ts";

const program = fileURLToPath(new URL("service-process.ts", import.meta.url));

/**
 * Starts sessions in another process, sends each the message, and kills the process once their agents work and the
 * condition is true. Returns the sessions, in no particular order.
 */
export async function leaveSessionsRunning(
  testHome: ServiceTestHome,
  count: number,
  message: string,
  isReady: (session: string) => boolean = () => true,
): Promise<string[]> {
  const args = [program, testHome.home.folder, testHome.folder, String(count), message];
  const env = { ...testHome.environment, ...process.env };
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  const sessions: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    sessions.push((JSON.parse(line) as { session: string }).session);
    if (sessions.length === count) break;
  }
  while (!sessions.every(isReady)) await delay(20);
  child.kill("SIGKILL");
  await once(child, "exit");
  return sessions;
}
