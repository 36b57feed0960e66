import { withScript } from "@fairlead/kit";
import { adapters } from "@fairlead/adapters";
import { listSessions } from "@fairlead/api";
import { LocalFairlead } from "@fairlead/service";
import { TestHome } from "../../measure/test-home.ts";

const plain = { agent: "scripted", prompt: withScript("Work.", [{ text: "Done." }]) };

/** What an agent in a sandbox that reads its workspace and has no network must not get for an agent that it starts. */
const wider: Readonly<Record<string, object>> = {
  "no sandbox": { sandbox: { kind: "none" } },
  "a workspace to write": { sandbox: { workspace: "write" } },
  "the network through the gate": { sandbox: { network: "gate" } },
  "the whole network": { sandbox: { network: "open" } },
  "full-auto": { mode: "full-auto" },
  "accept-edits": { mode: "accept-edits" },
  "no approvals": { mode: "dangerously-skip-permissions" },
  "a policy that allows": { policy: { rules: [{ verdict: "allow", tool: "Bash" }] } },
  "a policy without a deadline": { policy: { unattended: "wait" } },
  "settings of the agent": { settings: { any: 1 } },
  "other tools": { tools: ["ask_person"] },
  "another workspace": { workspace: "/" },
  "more than is left": { limits: { seconds: 100_000 } },
};

/** Lets an agent ask for more than it has. Returns what was asked for, what was refused, and whether less was allowed. */
export async function askForMore(): Promise<{ asked: string[]; refused: string[]; isPlainAllowed: boolean }> {
  await using testHome = new TestHome();
  const { home, environment } = testHome;
  await using fairlead = await LocalFairlead.open({ home, adapters, environment, defaultPolicy: true });
  const inputs = [plain, ...Object.values(wider).map((more) => ({ ...plain, ...more }))];
  const prompt = withScript(
    "Delegate.",
    inputs.map((input) => ({ tools: [{ name: "use", input: { tool: "start_session", input } }] })),
  );
  const { session } = await fairlead.start({
    agent: "scripted",
    workspace: testHome.workspace(),
    sandbox: { kind: "bwrap", workspace: "read", network: "none" },
    limits: { seconds: 600 },
    mayDelegate: true,
    prompt,
  });
  const oks: boolean[] = [];
  for await (const output of fairlead.events(session, { follow: true })) {
    if (!("body" in output)) continue;
    if (output.body.type === "tool.ended") oks.push(output.body.ok);
    if (output.body.type === "turn.ended") break;
  }
  const started = await Array.fromAsync(listSessions(fairlead, {}));
  await fairlead.stop(session);
  const names = Object.keys(wider);
  return {
    asked: names,
    // A start beside the root and the plain one would be one that was not refused.
    refused: started.length === 2 ? names.filter((_, at) => oks[at + 1] === false) : [],
    isPlainAllowed: oks[0] === true && started.length === 2,
  };
}
