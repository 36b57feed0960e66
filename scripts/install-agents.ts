/**
 * Installs the agents of the lab at their pinned versions: `node scripts/install-agents.ts [id…]`. Without ids, also installs
 * the servers that tests need.
 */
import { labAgents, resolveAgentVersion, installAgent } from "@fairlead/lab";

const ids = process.argv.slice(2);
for (const id of ids.length > 0 ? ids : labAgents.map((agent) => agent.id)) {
  const outcome = await installAgent(id);
  console.log(`${id} ${resolveAgentVersion(id)} ${outcome}`);
}
if (ids.length === 0) {
  await import("./install-restate.ts");
  await import("./install-nats.ts");
}
