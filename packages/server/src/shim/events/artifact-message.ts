import { artifactKindOf, type ArtifactKind, type Event } from "@fairlead/contract";
import type { ShimMessage, ShimMessageSource } from "./adapter-event.ts";
import { toArtifactId } from "./shim-ids.ts";
import type { ShimState } from "./shim-state.ts";

/** Describes a file that was created or modified, or that the agent named as a result. */
export function artifactMessage(
  { workspace }: ShimState,
  event: Event,
  { path, kind = artifactKindOf(path) }: { readonly path: string; readonly kind?: ArtifactKind },
  source: ShimMessageSource,
): ShimMessage {
  const sourcePath = path.startsWith(`${workspace}/`) ? path.slice(workspace.length + 1) : path;
  const absolutePath = path.startsWith("/") ? path : `${workspace}/${path}`;
  return {
    type: "artifact",
    artifactId: toArtifactId(event.session, path),
    name: path.slice(path.lastIndexOf("/") + 1),
    kind,
    workstream: source.workstream,
    uri: `file://${absolutePath.split("/").map(encodeURIComponent).join("/")}`,
    status: "draft",
    // The protocol requires a score, and no reviewer has rated the file yet.
    qualityScore: 0,
    provenance: { createdBy: source.agentId, createdAt: event.occurredAt, sourcePath },
  };
}
