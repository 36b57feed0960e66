import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface CompetingWriter extends AsyncDisposable {
  /** The acknowledged sequences or epochs. The iteration returns when the process exits. */
  readonly acknowledged: AsyncIterable<number>;
  /** Resolves when the process has opened the log. */
  readonly ready: Promise<void>;
  /** Makes the process start to write. */
  begin(): void;
  /** Kills the process with SIGKILL. */
  kill(): void;
}

export interface CompetingWriterOptions {
  /** The number of appends or claims; unlimited if omitted. */
  readonly times?: number;
  /** A command that runs the process as its child, such as strace. */
  readonly wrapperCommand?: readonly string[];
}

/** Starts a second process, which waits for `begin`. It inherits this process's standard error. */
export function spawnCompetingWriter(
  mode: "append" | "claim",
  file: string,
  session: string,
  { times = Infinity, wrapperCommand = [] }: CompetingWriterOptions = {},
): CompetingWriter {
  const program = fileURLToPath(new URL("competing-writer-main.ts", import.meta.url));
  const [command, ...rest] = [...wrapperCommand, process.execPath, program, mode, file, session, `${times}`];
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
  return { acknowledged: parseNumbers(ready, lines), ready, begin, kill, [Symbol.asyncDispose]: dispose };
}

/** Starts a second process that writes at once. */
export function startCompetingWriter(...parameters: Parameters<typeof spawnCompetingWriter>): CompetingWriter {
  const writer = spawnCompetingWriter(...parameters);
  writer.begin();
  return writer;
}

async function* parseNumbers(ready: Promise<void>, lines: AsyncIterator<string>): AsyncGenerator<number, void> {
  await ready;
  for (let line = await lines.next(); line.done !== true; line = await lines.next()) yield Number(line.value);
}
