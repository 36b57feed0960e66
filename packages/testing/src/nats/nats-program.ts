import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

/** Where `node scripts/install-nats.ts` puts the servers. They are never a dependency of the product. */
const natsFolder = join(import.meta.dirname, "../../../../.agents/nats/");

/** `current` is safe for a fleet. The others are not: tests show that they are refused, and why. */
export type NatsRelease = "current" | "2.10" | "2.9";

/** The path of a server's program. */
export function findNatsProgram(release: NatsRelease): string {
  return join(natsFolder, release, "nats-server");
}

/** The version that a program prints, or undefined if it does not run. */
export async function readNatsVersion(program: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(program, ["--version"]);
    return /v(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  } catch {
    return undefined;
  }
}
