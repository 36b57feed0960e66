import type { PolicyFinding, GateContext } from "./policy-finding.ts";
import { isHarmlessDevice, locatePath, segmentsOf } from "./locate-path.ts";
import { isConfigPath, isManifestPath, isSecretPath } from "./path-kinds.ts";

/** Finds what it means to read a path. */
export function inspectRead(path: string, subject: string): PolicyFinding[] {
  if (/^\/dev\/(?:tcp|udp)\//.test(path)) return [{ category: "network", subject, because: "connects to a host" }];
  return isSecretPath(path)
    ? [{ category: "secrets", subject, because: `reads ${path}, which may contain secrets` }]
    : [];
}

/** Finds what it means to write a path. */
export function inspectWrite(
  path: string,
  subject: string,
  { workspace, agentFiles, leavesWorkspace }: GateContext,
): PolicyFinding[] {
  if (isHarmlessDevice(path)) return [];
  const read = inspectRead(path, subject);
  return [...read, ...inspectTarget(path, subject, { workspace, agentFiles, leavesWorkspace })];
}

function inspectTarget(
  path: string,
  subject: string,
  { workspace, agentFiles, leavesWorkspace }: GateContext,
): PolicyFinding[] {
  const location = locatePath(path, workspace);
  if (location === "unknown") return [{ category: "undecidable", subject, because: "writes to a computed path" }];
  if (location === "device") return [{ category: "destructive", subject, because: `writes to the device ${path}` }];
  if (location === "outside" || (leavesWorkspace && !path.startsWith("/"))) {
    return [{ category: "destructive", subject, because: `writes outside the workspace: ${path}` }];
  }
  if (location === "temporary") return [];
  if (isConfigPath(path, workspace, agentFiles)) {
    return [{ category: "agent-config", subject, because: `changes ${path}, which tools or agents obey` }];
  }
  if (/(?:^|\/)node_modules\/(?!\.(?:cache|vite|tmp))/i.test(segmentsOf(path, workspace).join("/"))) {
    return [{ category: "deps_add", subject, because: `changes ${path}, which is installed code` }];
  }
  if (isManifestPath(path, workspace)) {
    return [{ category: "deps_add", subject, because: `changes ${path}, which lists dependencies` }];
  }
  return [];
}
