import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { Screen } from "./screen.ts";

/** What a command has around it: a screen, perhaps a person, an environment and a folder. */
export interface Surroundings {
  readonly screen: Screen;
  readonly input: NodeJS.ReadStream;
  /** Where questions are written; a person sees them only if this is a terminal. */
  readonly output: NodeJS.WriteStream;
  readonly environment: NodeJS.ProcessEnv;
  readonly folder: string;
  /** The folder in which everything is kept; an absolute path. */
  readonly home: string;
  /** Whether somebody can read a question and answer it. */
  readonly attended: boolean;
}

export function surroundingsOf(process: NodeJS.Process): Surroundings {
  const { stdin: input, stdout: output, stderr, env: environment } = process;
  return {
    screen: new Screen(output, stderr, environment),
    input,
    output,
    environment,
    folder: process.cwd(),
    home: resolve(environment["FAIRLEAD_HOME"] || join(homedir(), ".fairlead")),
    attended: input.isTTY && output.isTTY,
  };
}
