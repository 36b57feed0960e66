import { spawn } from "node:child_process";
import type { Page } from "playwright-core";

/** Milliseconds between two keys: long enough for the program to have answered the first one. */
const keyInterval = 60;

/** Runs in the page. A text, because the types of a browser are not those of this program. */
const recordEchoes = `
  const state = { pressedAt: 0, echoes: [] };
  globalThis.echoState = state;
  addEventListener("keydown", () => (state.pressedAt = performance.now()), { capture: true });
  new MutationObserver(() => {
    if (state.pressedAt === 0) return;
    state.echoes.push(performance.now() - state.pressedAt);
    state.pressedAt = 0;
  }).observe(document.querySelector(".xterm-rows"), { childList: true, subtree: true, characterData: true });
`;

/** Measures in the page, from each key event to the frame that shows its character, in milliseconds. */
export async function measurePageEcho(page: Page, count: number): Promise<number[]> {
  await page.evaluate(recordEchoes);
  for (let at = 0; at < count; at += 1) {
    await page.keyboard.press("x");
    await page.waitForTimeout(keyInterval);
  }
  return await page.evaluate<number[]>("globalThis.echoState.echoes");
}

/** Measures the same program in a terminal of its own, from each key to the next output, in milliseconds. */
export async function measureBareEcho(command: string, env: NodeJS.ProcessEnv, count: number): Promise<number[]> {
  const child = spawn("script", ["-qec", `exec ${command}`, "/dev/null"], { env });
  const echoes: number[] = [];
  let pressedAt = 0;
  let shown = Promise.withResolvers<void>();
  child.stdout.on("data", () => {
    if (pressedAt !== 0) echoes.push(performance.now() - pressedAt);
    pressedAt = 0;
    shown.resolve();
  });
  await shown.promise;
  await new Promise((resolve) => setTimeout(resolve, 500)); // the rest of its first output
  for (let at = 0; at < count; at += 1) {
    shown = Promise.withResolvers();
    pressedAt = performance.now();
    child.stdin.write("x");
    await shown.promise;
    await new Promise((resolve) => setTimeout(resolve, keyInterval));
  }
  child.kill("SIGKILL");
  return echoes;
}
