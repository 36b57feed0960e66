import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";

export interface ViewSettings {
  readonly colorScheme: "light" | "dark";
  readonly isMotionReduced?: boolean;
  /** In CSS pixels. */
  readonly width: number;
  readonly height: number;
}

/** In CSS pixels. */
interface PagePart {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The name in Debian's package of the same name. */
const program = "chromium";

interface ChromiumReply {
  readonly id?: number;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** One page of a headless Chromium, driven over the pipe of its DevTools protocol. */
export class Chromium implements AsyncDisposable {
  readonly #folder: string;
  readonly #process: ChildProcess;
  readonly #input: Writable;
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>();
  #page: string | undefined;
  #loaded = Promise.withResolvers<void>();
  #lastId = 0;

  static isInstalled(): boolean {
    return spawnSync(program, ["--version"]).status === 0;
  }

  static async start(): Promise<Chromium> {
    const chromium = new Chromium();
    const { targetId } = await chromium.#send<{ targetId: string }>("Target.createTarget", { url: "about:blank" });
    const target = { targetId, flatten: true };
    chromium.#page = (await chromium.#send<{ sessionId: string }>("Target.attachToTarget", target)).sessionId;
    await chromium.#send("Page.enable");
    return chromium;
  }

  private constructor() {
    this.#folder = mkdtempSync(join(tmpdir(), "chromium-"));
    const flags = ["--headless=new", "--remote-debugging-pipe", `--user-data-dir=${this.#folder}`, "--disable-gpu"];
    // The sandbox of Chromium does not start as root. The pages are our own files.
    const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
    this.#process = spawn("nice", ["-n", "19", program, ...flags, ...sandbox], {
      stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
    });
    this.#input = this.#process.stdio[3] as Writable;
    void this.#readReplies(this.#process.stdio[4] as Readable);
  }

  async show(url: string, { colorScheme, isMotionReduced = false, width, height }: ViewSettings): Promise<void> {
    const features = [
      { name: "prefers-color-scheme", value: colorScheme },
      { name: "prefers-reduced-motion", value: isMotionReduced ? "reduce" : "no-preference" },
    ];
    await this.#send("Emulation.setEmulatedMedia", { features });
    await this.#send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
    this.#loaded = Promise.withResolvers();
    await this.#send("Page.navigate", { url });
    await this.#loaded.promise;
  }

  /** Evaluates an expression in the page and returns its value. */
  async evaluate<Value>(expression: string): Promise<Value> {
    const { result, exceptionDetails } = await this.#send<{
      result: { value: Value };
      exceptionDetails?: { exception?: { description?: string } };
    }>("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
    if (exceptionDetails !== undefined) throw new Error(exceptionDetails.exception?.description ?? "The page failed.");
    return result.value;
  }

  /** Returns the page, or a part of it, as a PNG. */
  async takeScreenshot(part?: PagePart): Promise<Buffer> {
    const options = { format: "png", ...(part !== undefined && { clip: { ...part, scale: 1 } }) };
    const { data } = await this.#send<{ data: string }>("Page.captureScreenshot", options);
    return Buffer.from(data, "base64");
  }

  /** Writes a file that a page can load, and returns its address. */
  writePage(name: string, text: string): string {
    const file = join(this.#folder, name);
    writeFileSync(file, text);
    return `file://${file}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exit = once(this.#process, "exit");
    void this.#send("Browser.close").catch(() => {});
    await exit;
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  async #send<Result>(method: string, parameters: object = {}): Promise<Result> {
    const id = (this.#lastId += 1);
    const reply = Promise.withResolvers<unknown>();
    this.#pending.set(id, reply);
    const isForPage = !/^(Target|Browser)\./.test(method);
    this.#input.write(
      `${JSON.stringify({ id, method, params: parameters, ...(isForPage && { sessionId: this.#page }) })}\0`,
    );
    return (await reply.promise) as Result;
  }

  async #readReplies(output: Readable): Promise<void> {
    let text = "";
    for await (const chunk of output.setEncoding("utf8") as AsyncIterable<string>) {
      const messages = (text + chunk).split("\0");
      text = messages.pop() ?? "";
      for (const message of messages) this.#receive(JSON.parse(message) as ChromiumReply);
    }
    for (const { reject } of this.#pending.values()) reject(new Error("Chromium has exited."));
  }

  #receive({ id, method, result, error }: ChromiumReply): void {
    if (method === "Page.loadEventFired") this.#loaded.resolve();
    if (id === undefined) return;
    const reply = this.#pending.get(id);
    this.#pending.delete(id);
    if (error === undefined) reply?.resolve(result);
    else reply?.reject(new Error(error.message));
  }
}
