/** Runs a session in the daemon, which continues it after this program exits: `node examples/client.ts [agent]`. */
import { connect } from "@fairlead/daemon";

const [agent = "scripted"] = process.argv.slice(2);
const fairlead = await connect();
const { session } = await fairlead.start({ agent, workspace: process.cwd(), prompt: "Write a greeting." });
for await (const output of fairlead.events(session, { follow: true })) {
  if (!("body" in output)) continue;
  const { body, sequence } = output;
  console.log(sequence, body.type);
  if (body.type === "decision.requested") await fairlead.answer(session, body.decision, { type: "allow" });
  if (body.type === "turn.ended") break;
}
await fairlead.stop(session);
