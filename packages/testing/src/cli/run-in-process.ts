import { Readable, Writable } from "node:stream";
import { Home } from "@fairlead/runtime/home";
import { runCli } from "../../../cli/src/run-cli.ts";
import { Screen } from "../../../cli/src/screen.ts";

export interface CliResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface RunInProcessOptions {
  /** The whole standard input. */
  readonly input: string;
  readonly environment: NodeJS.ProcessEnv;
  /** The working folder. */
  readonly folder: string;
}

/** Runs a command of the CLI in this process, with pipes instead of a terminal. */
export async function runInProcess(
  words: readonly string[],
  { input, environment, folder }: RunInProcessOptions,
): Promise<CliResult> {
  const out = new CollectedText();
  const err = new CollectedText();
  const code = await runCli(words, {
    screen: new Screen(out, err, environment),
    // A pipe has none of what these types add.
    input: Readable.from([Buffer.from(input)]) as unknown as NodeJS.ReadStream,
    output: out as unknown as NodeJS.WriteStream,
    environment,
    folder,
    home: Home.from(environment),
    isInteractive: false,
  });
  return { code, out: out.text, err: err.text };
}

class CollectedText extends Writable {
  text = "";

  override _write(piece: Buffer | string, _encoding: BufferEncoding, done: () => void): void {
    this.text += piece.toString();
    done();
  }
}
