import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters, judgedVersions } from "@fairlead/adapters";
import type { Scope } from "@fairlead/api";
import { FileTokenStore } from "@fairlead/engine";
import { Home } from "@fairlead/runtime";
import { AccessTokens, type HttpService, serveHttp } from "@fairlead/server";
import { LocalFairlead } from "@fairlead/service";
import { pageFolder } from "@fairlead/web/page-folder";
import type { Page } from "playwright-core";
import { createStoryAdapter } from "./create-story-adapter.ts";
import { createRepositories } from "./repositories.ts";
import type { PageView } from "./page-views.ts";
import type { Story } from "./story.ts";

/** A service with the built page, whose scripted agent plays stories. */
export class StoryService implements AsyncDisposable {
  readonly fairlead: LocalFairlead;
  readonly #folder: string;
  readonly #tokens: AccessTokens;
  readonly #resources: AsyncDisposableStack;
  #http: HttpService;

  private constructor(
    folder: string,
    fairlead: LocalFairlead,
    tokens: AccessTokens,
    http: HttpService,
    resources: AsyncDisposableStack,
  ) {
    this.#folder = folder;
    this.fairlead = fairlead;
    this.#tokens = tokens;
    this.#http = http;
    this.#resources = resources;
  }

  /** `prepare` writes what the data directory has before the service opens it. */
  static async open(
    stories: readonly Story[] = [],
    prepare: (home: Home) => Promise<void> = async () => {},
  ): Promise<StoryService> {
    await using resources = new AsyncDisposableStack();
    const folder = mkdtempSync(join(tmpdir(), "pages-"));
    resources.defer(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
    const workspaces = join(folder, "dana");
    createRepositories(workspaces);
    const turns = stories.flatMap((story) => story.turns);
    const home = new Home(join(folder, ".h"));
    mkdirSync(home.folder, { mode: 0o700 });
    await prepare(home);
    const environment = { ...process.env, XDG_STATE_HOME: join(folder, ".state") };
    const known = adapters.map((adapter) => (adapter.manifest.id === "scripted" ? createStoryAdapter(turns) : adapter));
    const fairlead = resources.use(
      await LocalFairlead.open({
        home,
        adapters: known,
        environment,
        defaultPolicy: true,
        judged: (agent) => [...(judgedVersions[agent] ?? [])],
      }),
    );
    const tokens = new AccessTokens(new FileTokenStore(home.tokensFile));
    const http = await serveHttp({ fairlead, tokens, port: 0, pageFolder });
    const service = new StoryService(folder, fairlead, tokens, http, resources.move());
    // The first one waits longest, so that its request is the first of the inbox.
    const [first, ...others] = stories;
    if (first !== undefined) await service.#play(first);
    await Promise.all(others.map((story) => service.#play(story)));
    return service;
  }

  get url(): string {
    return this.#http.url ?? "";
  }

  issueToken(...scopes: readonly Scope[]): Promise<string> {
    return this.#tokens.issue({ label: "dana", scopes: [...scopes] });
  }

  /** Opens a view in a page, and does what a person does there first. */
  async show(page: Page, view: PageView): Promise<void> {
    const { sessions } = await this.fairlead.sessions({ limit: 500 });
    const path = view.path.replace(
      /\[([^\]]+)\]/,
      (_, name: string) => sessions.find((one) => one.name === name)?.session ?? name,
    );
    // A change of the fragment alone would not load the page again.
    await page.goto("about:blank");
    await page.goto(`${this.url}${path}`);
    await page.getByText(view.shows).filter({ visible: true }).first().waitFor();
    await view.act?.(page);
    // What is loaded when it is first shown, and controls that can be used after half a second.
    await page.waitForLoadState("networkidle");
    await page
      .locator("[data-armed=false]")
      .first()
      .waitFor({ state: "detached", timeout: 5000 })
      .catch(() => {});
  }

  /** Ends all connections and answers nothing more, as a daemon that was stopped. */
  async goAway(): Promise<void> {
    await this.#http[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#http[Symbol.asyncDispose]();
    const { sessions } = await this.fairlead.sessions({ limit: 500 });
    for (const { session, state } of sessions) if (state !== "ended") await this.fairlead.stop(session).catch(() => {});
    await this.#resources.disposeAsync();
  }

  /** Starts the session of a story and plays it until its end. */
  async #play(story: Story): Promise<void> {
    const { fairlead } = this;
    const { name, repository, mode = "default", turns, until } = story;
    const workspace = join(this.#folder, "dana", repository);
    const { session } = await fairlead.start({ agent: "scripted", workspace, name, mode });
    for (const { message } of turns) {
      const { last } = await fairlead.session(session);
      await fairlead.send(session, message);
      await this.#allowUntilEnd(session, last, story);
    }
    if (until === "paused") await fairlead.pause(session);
    if (until === "ended") await fairlead.stop(session);
  }

  /** Allows what the agent asks until its turn ends, or until the story stops. */
  async #allowUntilEnd(session: string, after: number, { until, stopsAt = "\n" }: Story): Promise<void> {
    for await (const event of this.fairlead.events(session, { after, follow: true })) {
      if (!("body" in event)) continue;
      const { body } = event;
      if (body.type === "turn.ended" || (body.type === "text.ended" && body.text.includes(stopsAt))) return;
      if (body.type !== "decision.requested") continue;
      const isEnd = body.title.includes(stopsAt);
      if (isEnd && until === "waiting") return;
      await this.fairlead.answer(session, body.decision, { type: "allow" });
      if (isEnd) return;
    }
  }
}
