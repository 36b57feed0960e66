import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface Rival extends AsyncDisposable {
  /** The numbers that it has acknowledged, as they come; they end with the process. */
  readonly acknowledged: AsyncIterable<number>;
  /** Resolves when it has the log open. */
  readonly ready: Promise<void>;
  /** Lets it begin. */
  begin(): void;
  /** Ends it with no chance to tidy up. */
  kill(): void;
}

export interface RivalOptions {
  /** How often it appends or claims; without it, until it is stopped. */
  readonly times?: number;
  /** A command to run it with. */
  readonly under?: readonly string[];
}

/** Starts the other process, which waits to begin; what it complains about goes to our own standard error. */
export function prepareRival(
  mode: "append" | "claim",
  file: string,
  session: string,
  { times = Infinity, under = [] }: RivalOptions = {},
): Rival {
  const program = fileURLToPath(new URL("main.ts", import.meta.url));
  const [command, ...rest] = [...under, process.execPath, program, mode, file, session, `${times}`];
  const child = spawn(command, rest, { stdio: ["pipe", "pipe", "inherit"] });
  const closed = once(child, "close");
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const kill = () => child.kill("SIGKILL");
  const dispose = async () => {
    kill();
    await closed;
  };
  const ready = lines.next().then(() => {});
  const begin = () => child.stdin.write("begin");
  return { acknowledged: numbers(ready, lines), ready, begin, kill, [Symbol.asyncDispose]: dispose };
}

/** Starts the other process, and lets it begin at once. */
export function startRival(...wanted: Parameters<typeof prepareRival>): Rival {
  const rival = prepareRival(...wanted);
  rival.begin();
  return rival;
}

async function* numbers(ready: Promise<void>, lines: AsyncIterator<string>): AsyncGenerator<number, void> {
  await ready;
  for (let line = await lines.next(); line.done !== true; line = await lines.next()) yield Number(line.value);
}
