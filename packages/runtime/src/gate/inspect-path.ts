import type { PolicyFinding, GateContext } from "./policy-finding.ts";
import { resolveIn } from "./command-folders.ts";
import { isHiddenInHome } from "./home-path.ts";
import { isHarmlessDevice, locatePath, segmentsOf } from "./locate-path.ts";
import { isConfigPath, isManifestPath, isSecretPath } from "./path-kinds.ts";

/** Finds what it means to read a path, in each folder in which it may be. */
export function inspectRead(
  path: string,
  subject: string,
  context: Pick<GateContext, "folders" | "workspace" | "home">,
): PolicyFinding[] {
  if (/^\/dev\/(?:tcp|udp)\//.test(path)) return [{ category: "network", subject, because: "connects to a host" }];
  const secret = resolveIn(context.folders, path).find((place) => isSecretPath(place, context));
  return secret === undefined
    ? []
    : [{ category: "secrets", subject, because: `reads ${secret}, which may contain secrets` }];
}

/** Finds what it means to write a path, in each folder in which it may be. */
export function inspectWrite(path: string, subject: string, context: GateContext): PolicyFinding[] {
  if (isHarmlessDevice(path)) return [];
  const findings = inspectRead(path, subject, context);
  for (const place of resolveIn(context.folders, path)) {
    const found = inspectTarget(place, subject, context);
    findings.push(...found.filter(({ category }) => findings.every((earlier) => earlier.category !== category)));
  }
  return findings;
}

/** Finds what it means to run something in a folder: programs read and write files there that they do not name. */
export function inspectFolder(path: string, context: GateContext): PolicyFinding[] {
  const found = inspectWrite(`${path}/any`, path, { ...context, folders: [] });
  return found
    .filter(({ category }) => /^(?:secrets|agent-config|deps_add)$/.test(category))
    .map(({ category }) => ({ category, subject: path, because: folderReasons[category] ?? "" }));
}

const folderReasons: Readonly<Record<string, string>> = {
  secrets: "is a folder that may contain secrets",
  "agent-config": "is a folder that tools or agents obey",
  deps_add: "is a folder with installed code",
};

function inspectTarget(path: string, subject: string, context: GateContext): PolicyFinding[] {
  const { workspace, agentFiles, leavesWorkspace } = context;
  const location = locatePath(path, workspace);
  if (location === "unknown") return [{ category: "undecidable", subject, because: "writes to a computed path" }];
  if (location === "device") return [{ category: "destructive", subject, because: `writes to the device ${path}` }];
  if (location === "outside" || (leavesWorkspace && !path.startsWith("/"))) {
    const obeyed: PolicyFinding = {
      category: "agent-config",
      subject,
      because: `changes ${path}, which tools or agents obey`,
    };
    const outside: PolicyFinding = {
      category: "destructive",
      subject,
      because: `writes outside the workspace: ${path}`,
    };
    return isHiddenInHome(path, context) ? [outside, obeyed] : [outside];
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
