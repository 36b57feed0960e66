import { FairleadError } from "@fairlead/contract";
import { z } from "zod";
import type { Forge } from "./forge.ts";

export interface GithubForgeOptions {
  /** `owner/name`. */
  readonly repository: string;
  /** The branch that the work is to be merged into. */
  readonly base: string;
  readonly token: string;
  /** The address of the service. Default: the public one. */
  readonly api?: string;
}

const PullRequest = z.object({ html_url: z.string(), head: z.object({ ref: z.string() }) });

const publicApi = "https://api.github.com";
const headers = {
  accept: "application/vnd.github+json",
  "content-type": "application/json",
  "user-agent": "fairlead",
  "x-github-api-version": "2022-11-28",
};
/** Milliseconds after which a service that does not answer counts as one that cannot be reached. */
const timeout = 30_000;

/** Pull requests of GitHub, or of a service with the same API. */
export function createGithubForge({ repository, base, token, api = publicApi }: GithubForgeOptions): Forge {
  const [owner = "", repo = ""] = repository.split("/").map(encodeURIComponent);
  const pulls = `${api}/repos/${owner}/${repo}/pulls`;
  const call = async (address: string, init?: RequestInit): Promise<Response> =>
    await fetch(address, {
      ...init,
      headers: { ...headers, authorization: `token ${token}` },
      signal: AbortSignal.timeout(timeout),
    }).catch((error: unknown) => {
      throw failure("unavailable", (error as Error).message, error);
    });
  const failure = (code: "unavailable" | "conflict", reason: string, cause?: unknown): FairleadError =>
    new FairleadError(code, `The request for ${repository} cannot be made: ${reason}`, { cause });
  const read = async <Value>(response: Response, schema: z.ZodType<Value>): Promise<Value> => {
    const text = await response.text().catch((error: unknown) => {
      throw failure("unavailable", (error as Error).message, error);
    });
    const { status } = response;
    // A service that fails is tried again. A refusal is not.
    const code = status >= 500 || status === 429 ? "unavailable" : "conflict";
    if (!response.ok) throw failure(code, `status ${status}: ${text.slice(0, 1000)}`);
    const parsed = z.preprocess(parseJson, schema).safeParse(text);
    if (!parsed.success) throw failure("unavailable", "its answer is no list of pull requests.", parsed.error);
    return parsed.data;
  };
  const find = async (branch: string): Promise<string | null> => {
    const query = new URLSearchParams({ head: `${repository.split("/")[0]}:${branch}`, state: "all", per_page: "100" });
    const found = await read(await call(`${pulls}?${query.toString()}`), z.array(PullRequest));
    return found.find(({ head }) => head.ref === branch)?.html_url ?? null;
  };
  return {
    async request({ branch, title, body }) {
      const existing = await find(branch);
      if (existing !== null) return existing;
      const response = await call(pulls, { method: "POST", body: JSON.stringify({ base, head: branch, title, body }) });
      // Another process made it since.
      const made = response.status === 422 ? await find(branch) : null;
      return made ?? (await read(response, PullRequest)).html_url;
    },
  };
}

function parseJson(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
}

/** Reads `owner/name` from the address of a remote. Returns null if it has none. */
export function parseRepositoryName(address: string): string | null {
  return /[/:]([\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/.exec(address)?.[1] ?? null;
}
