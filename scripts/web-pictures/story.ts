import type { StartRequest } from "@fairlead/api";
import type { ScriptedStep } from "../../packages/adapters/src/scripted/wire.ts";

/** A message, and what the scripted agent does when it gets it. */
export interface StoryTurn {
  readonly message: string;
  readonly steps: readonly ScriptedStep[];
}

/** A session as people have it: what they say, and what an agent does. */
export interface Story {
  readonly name: string;
  /** The repository that the session works in, a folder of `repositories.ts`. */
  readonly repository: string;
  readonly mode?: NonNullable<StartRequest["mode"]>;
  readonly turns: readonly StoryTurn[];
  /** Where the story stops: the last turn has ended, or still waits for a person, or still works. Default: `idle`. */
  readonly until?: "idle" | "waiting" | "working" | "paused" | "ended";
  /** For a story that waits or works: its end has come with the request or text of the last turn that contains this. */
  readonly stopsAt?: string;
}
