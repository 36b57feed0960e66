import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { delimiter, dirname } from "node:path";
import { promisify } from "node:util";
import { agentFolder, resolveAgentVersion, findLabAgent, type LabAgent } from "./agents.ts";

const run = promisify(execFile);

// This Node first: npm silently installs an older version if the Node on PATH is too old for the requested one.
const environment = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env["PATH"] ?? ""}` };

/** Installs an agent in its folder unless that version is there. Throws if npm installed another version. */
export async function installAgent(
  id: string,
  requestedVersion: string = resolveAgentVersion(id),
): Promise<"installed" | "already installed"> {
  const agent = findLabAgent(id);
  const folder = agentFolder(id, requestedVersion);
  if ((await installedVersion(agent, folder)) === requestedVersion) return "already installed";
  await mkdir(folder, { recursive: true });
  await writeFile(`${folder}package.json`, `${JSON.stringify({ name: `agent-${id}`, private: true })}\n`);
  const options = ["--no-audit", "--no-fund", "--save-exact"];
  await run("npm", ["install", ...options, `${agent.package}@${requestedVersion}`], { cwd: folder, env: environment });
  const version = await installedVersion(agent, folder);
  if (version === requestedVersion) return "installed";
  throw new Error(
    `Installing ${id} ${requestedVersion} failed: the installed program reports version ${version ?? "unknown"}.`,
  );
}

/** Asks the program for its version, because package.json may not match the program. */
async function installedVersion(agent: LabAgent, folder: string): Promise<string | undefined> {
  try {
    const { stdout } = await run(folder + agent.program, agent.versionArgs, { env: environment });
    return /\d+\.\d+\.\d+\S*/.exec(stdout)?.[0];
  } catch {
    return undefined;
  }
}
