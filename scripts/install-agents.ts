/** Installs the agents that the lab runs, each at its pinned version: node scripts/install-agents.ts [id…] */
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { delimiter, dirname } from "node:path";
import { promisify } from "node:util";
import { agentFolder, agents, findAgent, type Agent } from "@fairlead/lab";

const run = promisify(execFile);

// npm quietly installs an older version when the Node that it finds on PATH is too old for the one asked for.
const environment = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env["PATH"] ?? ""}` };

async function install(agent: Agent): Promise<string> {
  if ((await installedVersion(agent)) === agent.version) return "was there";
  const folder = agentFolder(agent.id);
  await mkdir(folder, { recursive: true });
  await writeFile(`${folder}package.json`, `${JSON.stringify({ name: `agent-${agent.id}`, private: true })}\n`);
  const wanted = `${agent.package}@${agent.version}`;
  const options = ["--no-audit", "--no-fund", "--save-exact"];
  await run("npm", ["install", ...options, wanted], { cwd: folder, env: environment });
  const version = await installedVersion(agent);
  if (version === agent.version) return "installed";
  throw new Error(`${agent.id}: asked for ${agent.version}, but what was installed says ${version ?? "nothing"}.`);
}

/** What the program itself says, not what a package.json says. */
async function installedVersion(agent: Agent): Promise<string | undefined> {
  try {
    const { stdout } = await run(agentFolder(agent.id) + agent.program, agent.versionArgs, { env: environment });
    return /\d+\.\d+\.\d+\S*/.exec(stdout)?.[0];
  } catch {
    return undefined;
  }
}

const ids = process.argv.slice(2);
for (const agent of ids.length > 0 ? ids.map(findAgent) : agents) {
  const outcome = await install(agent);
  console.log(`${agent.id} ${agent.version} ${outcome}`);
}
