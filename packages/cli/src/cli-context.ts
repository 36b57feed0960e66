import { Home } from "@fairlead/runtime/home";
import { Screen } from "./screen.ts";

/** The context of a command: its streams, environment variables, working folder and data directory. */
export interface CliContext {
  readonly screen: Screen;
  readonly input: NodeJS.ReadStream;
  /** Receives questions to a person. A person sees them only if this stream is a terminal. */
  readonly output: NodeJS.WriteStream;
  readonly environment: NodeJS.ProcessEnv;
  readonly folder: string;
  /** The data directory. */
  readonly home: Home;
  /** Whether a person can read a question and answer it. */
  readonly isInteractive: boolean;
}

export function createCliContext(process: NodeJS.Process): CliContext {
  const { stdin: input, stdout: output, stderr, env: environment } = process;
  return {
    screen: new Screen(output, stderr, environment),
    input,
    output,
    environment,
    folder: process.cwd(),
    home: Home.from(environment),
    isInteractive: input.isTTY && output.isTTY,
  };
}
