import type { Surroundings } from "../surroundings.ts";

/** Carries a command out and keeps its exit code. */
export type Run = (command: (surroundings: Surroundings) => Promise<number>) => Promise<void>;
