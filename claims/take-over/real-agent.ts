/**
 * A person takes a session of a real agent over in a real terminal, says something there and hands it back. Prints what
 * was seen, as JSON: `node real-agent.ts '{"agent":…}'`, without a network. With "screens": true the screens, too.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { adapters } from "@fairlead/adapters";
import { processesOf } from "@fairlead/conformance";
import { lawful } from "@fairlead/contract";
import { stages } from "@fairlead/lab";
import { Home, Runtime } from "@fairlead/runtime";
import { TmuxTerminal } from "../../scripts/tmux-terminal.ts";

const { agent, screens = false } = JSON.parse(process.argv[2] ?? "") as { agent: string; screens?: boolean };
const openStage = stages[agent];
if (openStage === undefined) throw new Error(`The lab has no stage for ${agent}.`);
const world = mkdtempSync(join(tmpdir(), "lead-"));
using _ = { [Symbol.dispose]: () => rmSync(world, { recursive: true, force: true }) };
const workspace = join(world, "w");
mkdirSync(workspace);
await using stage = await openStage(join(world, "s"));
const home = new Home(join(world, "h"));
const { environment } = stage;
const says = (text: string): string => stage.prompt([{ text }], workspace) ?? "";

/** Drives the session for a moment, as a daemon does that is then started anew. */
async function turn(message: string, id?: string): Promise<string> {
  await using runtime = await Runtime.open({ home, adapters, environment });
  const settings = stage.settings ?? {};
  const session =
    id === undefined ? await runtime.start({ agent: agent, workspace, settings }) : await runtime.attach(id);
  const before = session.last;
  await session.send(message);
  for await (const one of session.stream(before)) {
    if ("body" in one && /^(turn|session)\.ended$/.test(one.body.type)) break;
  }
  return session.id;
}

const session = await turn(says("The first word is heliotrope."));
const agentLed = processesOf(session).map(({ pid }) => pid);
const program = fileURLToPath(new URL("sit-down.ts", import.meta.url));
const argument = JSON.stringify({ home: home.folder, session });
const path = `${dirname(process.execPath)}:${environment["PATH"] ?? ""}`;
const seen: string[] = [];
const sitDown = (): TmuxTerminal =>
  new TmuxTerminal("lead", { ...environment, PATH: path }, [process.execPath, program, argument]);
{
  // The terminal that the person sits at is closed, and who drove the session goes with it; the agent's own is kept.
  using terminal = sitDown();
  seen.push(await terminal.see(/heliotrope/));
}
const kept = processesOf(session).map(({ pid }) => pid);
{
  using terminal = sitDown();
  seen.push(await terminal.see(/heliotrope/));
  terminal.type(says("The second word is marmalade."));
  await terminal.see(/marmalade/);
  terminal.press("Enter");
  seen.push(await terminal.see(/The second word is marmalade\.(?!"})/));
  const survived = processesOf(session).some(({ pid }) => kept.includes(pid));
  if (!survived) throw new Error("The terminal was another one.");
  terminal.press("C-\\");
  seen.push(await terminal.see(/left: detached/));
}
await turn(says("The third word is parsnip."), session);
const context = (await stage.context?.()) ?? "";
await using runtime = await Runtime.open({ home, adapters, environment });
const attached = await runtime.attach(session);
await attached.end();
await Array.fromAsync(attached.stream());
const journal = await Array.fromAsync(runtime.events(session, 0));
const leads = journal.flatMap(({ body }) => (body.type === "lead.changed" ? [body.lead] : []));
if (screens) for (const screen of seen) console.error(`${"─".repeat(100)}\n${screen}`);
console.log(
  JSON.stringify({
    agentLed: agentLed.length,
    leads,
    knows: ["heliotrope", "marmalade", "parsnip"].filter((word) => context.includes(word)),
    violations: lawful(journal, { whole: true }),
    left: processesOf(session).length,
  }),
);
