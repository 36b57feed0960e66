/** Runs a session inside this program, without a daemon: `node examples/embed.ts [agent]`. */
import { adapters } from "@fairlead/adapters";
import { Home } from "@fairlead/runtime";
import { LocalFairlead } from "@fairlead/service";

const [agent = "scripted"] = process.argv.slice(2);
await using fairlead = await LocalFairlead.open({ home: new Home(".fairlead"), adapters });
const { session } = await fairlead.start({ agent, workspace: process.cwd(), prompt: "Write a greeting." });
for await (const output of fairlead.events(session, { follow: true })) {
  if (!("body" in output)) continue;
  const { body, sequence } = output;
  console.log(sequence, body.type);
  if (body.type === "decision.requested") await fairlead.answer(session, body.decision, { type: "allow" });
  if (body.type === "turn.ended") break;
}
await fairlead.stop(session);
