import { z } from "zod";

const maxUrlLength = 2048;
const sshUser = /^[A-Za-z0-9_][\w.-]*$/;
const hostName = /^(?:[A-Za-z0-9][A-Za-z0-9.-]*|\[[0-9a-fA-F:]+\])$/;
/** The short form of SSH. The user is needed: without one, the form cannot be told from other transports. */
const shortSsh = /^([^@:/\s]+)@([^@:/\s]+):(?!:)[^-\s][^\s]*$/;
// oxlint-disable-next-line no-control-regex -- they are refused
const controlCharacters = /[\u0000-\u001f\u007f]/;

/**
 * Finds out why a URL of a repository is refused; null if it is not. Transports such as `ext::` run a command that the URL
 * names. A password would be in the events of the session, which more people read than have it.
 */
export function findRepositoryUrlProblem(text: string): string | null {
  if (text.length > maxUrlLength || controlCharacters.test(text)) return "is too long, or has control characters";
  if (text.startsWith("/")) return null;
  const short = shortSsh.exec(text);
  if (short !== null) return isSshAddress(short[1] ?? "", short[2] ?? "") ? null : "names no user or host";
  const url = URL.parse(text);
  if (url === null || !/^(?:https|ssh|file):\/\//.test(text))
    return "is not one of https://, ssh://, file://, user@host:path and an absolute path";
  if (url.password !== "" || (url.protocol === "https:" && url.username !== ""))
    return "contains credentials; the host uses those of its own git configuration";
  if (url.search !== "" || url.hash !== "") return "has a query or a fragment";
  if (url.pathname.length < 2) return "has no path";
  if (url.protocol === "file:") return url.host === "" ? null : "names a host";
  if (url.protocol === "ssh:")
    return isSshAddress(url.username || "git", url.hostname) ? null : "names no user or host";
  return hostName.test(url.hostname) ? null : "names no host";
}

const isSshAddress = (user: string, host: string): boolean => sshUser.test(user) && hostName.test(host);

const RepositoryUrl = z.string().superRefine((text, context) => {
  const problem = findRepositoryUrlProblem(text);
  // Not the URL itself, which may contain a password.
  if (problem !== null) context.addIssue({ code: "custom", message: `The URL of the repository ${problem}.` });
});

/** As git allows it in a name, and nothing that a command line of git would read as an option. */
// oxlint-disable-next-line no-control-regex -- they are refused
const refName = /^(?!-)(?!\/)(?!.*(?:\.\.|\/\/|@\{))[^\u0000-\u0020\u007f~^:?*[\\]{1,250}$/;

/** Where the first files of a workspace come from. */
export const RepositorySource = z.strictObject({
  /** `https://…`, `ssh://…`, `user@host:path`, `file://…` or an absolute path. It must not contain a password or token. */
  url: RepositoryUrl,
  /** A branch, a tag, the whole id of a commit, or `HEAD` for the branch that the repository shows first. */
  ref: z.string().regex(refName, "The ref is not the name of a branch or tag, or the id of a commit."),
});
export type RepositorySource = z.infer<typeof RepositorySource>;

/** The git repository that a session's workspace was cloned from, and that gets a snapshot of it at each turn's end. */
export const SessionRepository = z.strictObject({
  url: z.string(),
  /** In full, such as `refs/heads/main`, or the id of a commit. */
  ref: z.string(),
  /** The commit that the session started from. */
  commit: z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/),
});
export type SessionRepository = z.infer<typeof SessionRepository>;
