import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface Rival extends AsyncDisposable {
  /** The numbers that it has acknowledged, as they come; they end with the process. */
  readonly acknowledged: AsyncIterable<number>;
  /** Ends it with no chance to tidy up. */
  kill(): void;
}

/** Starts the other process; what it complains about goes to our own standard error. */
export function startRival(mode: "append" | "claim", file: string, session: string, times?: number): Rival {
  const program = fileURLToPath(new URL("main.ts", import.meta.url));
  const rest = times === undefined ? [] : [`${times}`];
  const child = spawn(process.execPath, [program, mode, file, session, ...rest], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  const kill = () => child.kill("SIGKILL");
  const dispose = async () => {
    kill();
    await closed;
  };
  return { acknowledged: numbers(createInterface(child.stdout)), kill, [Symbol.asyncDispose]: dispose };
}

async function* numbers(lines: AsyncIterable<string>): AsyncGenerator<number, void> {
  for await (const line of lines) yield Number(line);
}
