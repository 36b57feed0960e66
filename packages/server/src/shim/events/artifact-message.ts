import { ownValue, type Event, type EventOf } from "@fairlead/contract";
import type { ArtifactKind, ShimMessage, ShimMessageSource } from "./adapter-event.ts";
import { toArtifactId } from "./shim-ids.ts";
import type { ShimState } from "./shim-state.ts";

/** Describes a created or modified file. */
export function artifactMessage(
  { workspace }: ShimState,
  event: Event,
  { path }: EventOf<"file.changed">,
  source: ShimMessageSource,
): ShimMessage {
  const sourcePath = path.startsWith(`${workspace}/`) ? path.slice(workspace.length + 1) : path;
  const absolutePath = path.startsWith("/") ? path : `${workspace}/${path}`;
  return {
    type: "artifact",
    artifactId: toArtifactId(event.session, path),
    name: path.slice(path.lastIndexOf("/") + 1),
    kind: artifactKind(path),
    workstream: source.workstream,
    uri: `file://${absolutePath.split("/").map(encodeURIComponent).join("/")}`,
    status: "draft",
    // The protocol requires a score, and no reviewer has rated the file yet.
    qualityScore: 0,
    provenance: { createdBy: source.agentId, createdAt: event.occurredAt, sourcePath },
  };
}

const kindByExtension: Readonly<Record<string, ArtifactKind>> = {
  ...mapExtensions("code", "ts", "js", "py", "rs", "go", "java", "tsx", "jsx"),
  ...mapExtensions("document", "md", "txt", "rst"),
  ...mapExtensions("config", "json", "yaml", "yml", "toml", "ini", "cfg"),
};

/** Guesses the kind of a file from its name. Tests take precedence: `foo.test.ts` is a test and not code. */
export function artifactKind(path: string): ArtifactKind {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  if (name.includes(".test.") || name.includes(".spec.") || name.startsWith("test_")) return "test";
  const dot = name.lastIndexOf(".");
  return (dot >= 0 ? ownValue(kindByExtension, name.slice(dot + 1)) : undefined) ?? "other";
}

function mapExtensions(kind: ArtifactKind, ...extensions: readonly string[]): Record<string, ArtifactKind> {
  return Object.fromEntries(extensions.map((name) => [name, kind]));
}
