import type { Event, EventOf } from "@fairlead/contract";
import type { Telling } from "./adapter-event.ts";
import { artifactKind } from "./artifact-kind.ts";
import type { ShimState } from "./shim-state.ts";
import type { Teller } from "./teller.ts";
import { uuidOf } from "./uuid-of.ts";

/** A file that was produced or modified. */
export function artifactTelling(
  { workspace }: ShimState,
  event: Event,
  { path }: EventOf<"file.changed">,
  teller: Teller,
): Telling {
  const sourcePath = path.startsWith(`${workspace}/`) ? path.slice(workspace.length + 1) : path;
  const whole = path.startsWith("/") ? path : `${workspace}/${path}`;
  return {
    type: "artifact",
    // One file is one artifact, however often it is written.
    artifactId: uuidOf(event.session, path),
    name: path.slice(path.lastIndexOf("/") + 1),
    kind: artifactKind(path),
    workstream: teller.workstream,
    uri: `file://${whole.split("/").map(encodeURIComponent).join("/")}`,
    status: "draft",
    // Nobody has looked at it yet.
    qualityScore: 0,
    provenance: { createdBy: teller.agentId, createdAt: event.occurredAt, sourcePath },
  };
}
