import { writeFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Act, OpenStage, Stage } from "@fairlead/conformance";
import { agentProgram } from "../agents.ts";
import { assertOffline } from "../assert-offline.ts";
import { isolatedEnvironment } from "../isolation.ts";
import { openLab, type Lab } from "../lab.ts";
import { script } from "../script.ts";
import type { ToolCall } from "../step.ts";
import { modelFailures, servedBy } from "./model-failures.ts";

/** How long its model may be silent, and how long a failing turn may take in all. */
const retryDeadline = 5000;
const patience = 20_000;
const model = "gpt-5.5";

export const openCodex: OpenStage = (folder) => open(folder, toolsFor(command));

/** The same program by its command for scripts. It cannot ask, so it acts in a mode in which it may. */
export const openCodexExec: OpenStage = async (folder) => ({
  ...(await open(folder, toolsFor(plainCommand))),
  mode: "accept-edits",
  settings: { retryDeadline, model },
});

type ToolsFor = (acts: readonly Act[]) => ToolCall[];

async function open(folder: string, tools: ToolsFor): Promise<Stage> {
  assertOffline();
  const lab = await openLab();
  const environment = isolatedEnvironment(folder, lab);
  const home = join(folder, "home", ".codex");
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "config.toml"), configuration(lab));
  return {
    environment: {
      ...environment,
      PATH: `${dirname(agentProgram("codex"))}:${environment["PATH"] ?? ""}`,
      CODEX_HOME: home,
      CODEX_LAB_KEY: "a-key-of-the-lab",
    },
    settings: { retryDeadline },
    patience,
    badSettings: { maxTurns: "many" },
    failures: modelFailures(lab),
    prompt(steps) {
      return script(steps.map(({ acts, ...step }) => ({ ...step, ...(acts && { tools: tools(acts) }) })));
    },
    async context() {
      return JSON.stringify(lab.requests.filter((request) => request.method === "POST").at(-1)?.body ?? "");
    },
    served: () => servedBy(lab),
    [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
  };
}

/** The built-in provider would try a web socket first. The model must be one that it knows: others get fewer tools. */
function configuration(lab: Lab): string {
  return `
model = "${model}"
model_provider = "lab"
check_for_update_on_startup = false
[model_providers.lab]
name = "lab"
base_url = "${lab.url}/v1"
env_key = "CODEX_LAB_KEY"
wire_api = "responses"
[analytics]
enabled = false
[notice.model_migrations]
"${model}" = "gpt-6-sol"
`;
}

/** Its patches are applied one after the other; only commands run at once, if they take long enough. */
const toolsFor =
  (run: (cmd: string) => ToolCall): ToolsFor =>
  (acts) =>
    acts.map((act) => {
      if ("run" in act) return run(act.run);
      if ("write" in act && acts.length > 1)
        return run(`sleep 0.5; printf '%s' '${act.write.content}' > ${act.write.path}`);
      if ("write" in act) return { name: "apply_patch", input: patch(act.write) };
      const { text, options } = act.ask;
      const described = options.map(({ label, description = label }) => ({ label, description }));
      const question = { id: "question", header: "Question", question: text, options: described };
      return { name: "request_user_input", input: { questions: [question] } };
    });

/** A command asks for approval when it wants to leave the sandbox. */
function command(cmd: string): ToolCall {
  const why = { sandbox_permissions: "require_escalated", justification: "It needs more than to read." };
  return { name: "exec_command", input: { cmd, ...why, yield_time_ms: 30_000 } };
}

function plainCommand(cmd: string): ToolCall {
  return { name: "exec_command", input: { cmd, yield_time_ms: 30_000 } };
}

function patch({ path, content }: { readonly path: string; readonly content: string }): string {
  const lines = content.replace(/\n$/, "").split("\n");
  return ["*** Begin Patch", `*** Add File: ${path}`, ...lines.map((line) => `+${line}`), "*** End Patch", ""].join(
    "\n",
  );
}
