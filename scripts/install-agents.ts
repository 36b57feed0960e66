/** Installs the agents that the lab runs, each at its pinned version: node scripts/install-agents.ts [id…] */
import { agents, agentVersion, installAgent } from "@fairlead/lab";

const ids = process.argv.slice(2);
for (const id of ids.length > 0 ? ids : agents.map((agent) => agent.id)) {
  const outcome = await installAgent(id);
  console.log(`${id} ${agentVersion(id)} ${outcome}`);
}
