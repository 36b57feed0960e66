import { FairleadError } from "@fairlead/contract";
import { Octokit } from "@octokit/core";
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

/** Pull requests of GitHub, or of a service with the same API. */
export function createGithubForge({ repository, base, token, api }: GithubForgeOptions): Forge {
  const [owner = "", repo = ""] = repository.split("/");
  const octokit = new Octokit({ auth: token, ...(api !== undefined && { baseUrl: api }) });
  const find = async (branch: string): Promise<string | null> => {
    const query = { owner, repo, head: `${owner}:${branch}`, state: "all" as const, per_page: 100 };
    const { data } = await octokit.request("GET /repos/{owner}/{repo}/pulls", query);
    return data.find(({ head }) => head.ref === branch)?.html_url ?? null;
  };
  return {
    async request({ branch, title, body }) {
      try {
        const existing = await find(branch);
        if (existing !== null) return existing;
        const created = await octokit
          .request("POST /repos/{owner}/{repo}/pulls", { owner, repo, base, head: branch, title, body })
          .catch(async (error: unknown) => {
            // Another process made it since.
            const made = statusOf(error) === 422 ? await find(branch) : null;
            if (made === null) throw error;
            return { data: { html_url: made } };
          });
        return created.data.html_url;
      } catch (error) {
        throw toFairleadError(error, repository);
      }
    },
  };
}

const statusOf = (error: unknown): number | undefined => (error as { status?: number }).status;

/** A service that cannot be reached, or that fails, is tried again. A refusal is not. */
function toFairleadError(error: unknown, repository: string): FairleadError {
  const status = statusOf(error) ?? 500;
  const code = status >= 500 || status === 429 ? "unavailable" : "conflict";
  const message = `The request for ${repository} cannot be made: ${(error as Error).message}`;
  return new FairleadError(code, message, { cause: error });
}

/** Reads `owner/name` from the address of a remote. Returns null if it has none. */
export function parseRepositoryName(address: string): string | null {
  return /[/:]([\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/.exec(address)?.[1] ?? null;
}
