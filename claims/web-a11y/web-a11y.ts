import type { Claim } from "../../measure/claim.ts";
import { runQuietly } from "../../scripts/run.ts";
import type { KeysResult } from "./check-keys.ts";
import type { SensesResult } from "./check-senses.ts";
import type { ViewsResult } from "./check-views.ts";
import { keyTasks } from "./key-tasks.ts";

export const webA11y: Claim = {
  id: "web-a11y",
  statement: "The web page can be used with keys, a screen reader, large text and either theme.",
  bound:
    "axe-core, WCAG 2.2 AA: 0 violations in every view, dark and light, at 360, 393, 768, 1280 and 3840 px and at 400 % zoom, and no view is wider than its window; every task by keys alone (filter, open, allow, deny with words, edit, answer, start, send, interrupt, take over and hand back, replay, usage, agents, search, help), with the focus visible and returned, and single keys that can be switched off; each text is read out once; nothing moves with reduced motion; control: a label and a contrast that were taken away are found, without keys no task is done, and without reduced motion something moves",
  async prove() {
    const built = await runQuietly("npx", ["vite", "build", "packages/web"]);
    if (built.code !== 0) throw new Error(built.output);
    const { views, checks, violations, control, problems } = await runPart<ViewsResult>("views");
    const keys = await runPart<KeysResult>("keys");
    const { spoken, moving, control: movingControl } = await runPart<SensesResult>("senses");
    for (const one of [...violations, ...problems, ...keys.failed, ...keys.unmarked, ...keys.problems])
      console.log(one);
    const isControlFound = ["label", "color-contrast"].every((rule) => control.some((one) => one.startsWith(rule)));
    return {
      measured: `${violations.length} violations in ${checks} checks of ${views} views; control: ${control.length} found; ${keys.done} of ${keyTasks.length} tasks by keys, ${keys.unmarked.length} elements with an invisible focus, control: ${keys.control} tasks without keys; read out: ${spoken.map((text) => `“${text}”`).join(", ")}; ${moving} things move with reduced motion, control: ${movingControl}; ${problems.length + keys.problems.length} errors or violations of the policy in the pages`,
      holds:
        violations.length === 0 &&
        isControlFound &&
        problems.length + keys.problems.length === 0 &&
        keys.failed.length === 0 &&
        keys.done === keyTasks.length &&
        keys.unmarked.length === 0 &&
        keys.control === 0 &&
        spoken.length > 0 &&
        new Set(spoken).size === spoken.length &&
        moving === 0 &&
        movingControl > 0,
    };
  },
};

async function runPart<Result>(part: string): Promise<Result> {
  const { code, output } = await runQuietly("scripts/offline", ["node", "claims/web-a11y/run-checks.ts", part]);
  const line = output.split("\n").find((one) => one.startsWith("{"));
  if (code !== 0 || line === undefined) throw new Error(output);
  return JSON.parse(line) as Result;
}
