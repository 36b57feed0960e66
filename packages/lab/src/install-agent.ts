import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { delimiter, dirname } from "node:path";
import { promisify } from "node:util";
import { agentFolder, agentVersion, findAgent, type Agent } from "./agents.ts";

const run = promisify(execFile);

// npm quietly installs an older version when the Node that it finds on PATH is too old for the one asked for.
const environment = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env["PATH"] ?? ""}` };

/** Installs an agent in its folder, unless it is there. Throws when what was installed is not what was asked for. */
export async function installAgent(id: string, wanted: string = agentVersion(id)): Promise<"installed" | "was there"> {
  const agent = findAgent(id);
  const folder = agentFolder(id, wanted);
  if ((await installedVersion(agent, folder)) === wanted) return "was there";
  await mkdir(folder, { recursive: true });
  await writeFile(`${folder}package.json`, `${JSON.stringify({ name: `agent-${id}`, private: true })}\n`);
  const options = ["--no-audit", "--no-fund", "--save-exact"];
  await run("npm", ["install", ...options, `${agent.package}@${wanted}`], { cwd: folder, env: environment });
  const version = await installedVersion(agent, folder);
  if (version === wanted) return "installed";
  throw new Error(`${id}: asked for ${wanted}, but what was installed says ${version ?? "nothing"}.`);
}

/** What the program itself says, not what a package.json says. */
async function installedVersion(agent: Agent, folder: string): Promise<string | undefined> {
  try {
    const { stdout } = await run(folder + agent.program, agent.versionArgs, { env: environment });
    return /\d+\.\d+\.\d+\S*/.exec(stdout)?.[0];
  } catch {
    return undefined;
  }
}
