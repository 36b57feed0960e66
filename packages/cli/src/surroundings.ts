import { adapters, unverifiedAgents } from "@fairlead/adapters";
import { Home, Runtime } from "@fairlead/runtime";
import { Screen } from "./screen.ts";

/** What a command has around it: a screen, perhaps a person, an environment and a folder. */
export interface Surroundings {
  readonly screen: Screen;
  readonly input: NodeJS.ReadStream;
  /** Where questions are written; a person sees them only if this is a terminal. */
  readonly output: NodeJS.WriteStream;
  readonly environment: NodeJS.ProcessEnv;
  readonly folder: string;
  readonly home: Home;
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
    home: Home.of(environment),
    attended: input.isTTY && output.isTTY,
  };
}

/** The one place that joins adapters to a runtime. */
export function openRuntime({ home, environment }: Surroundings): Promise<Runtime> {
  return Runtime.open({ home, adapters: [...adapters, ...unverifiedAgents], environment });
}

/** Whether an agent was never judged by us: its entry is hearsay. */
export function isUnverified(id: string): boolean {
  return unverifiedAgents.some(({ manifest }) => manifest.id === id);
}
