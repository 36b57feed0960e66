import type { HostTool } from "@fairlead/contract";
import { askPerson } from "./ask-person.ts";
import { produceArtifact } from "./produce-artifact.ts";
import { reportProgress } from "./report-progress.ts";

/** The tools that every session can be offered. None is offered unless a start names it. */
export const builtInTools: readonly HostTool[] = [reportProgress, askPerson, produceArtifact];
