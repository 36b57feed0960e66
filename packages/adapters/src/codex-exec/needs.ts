import { endpointUrl, isOlderVersion, type AgentCredential, type AgentNeeds, type Opening } from "@fairlead/contract";
import { absoluteFolder, userFolders, withoutHome, type FlagValue } from "@fairlead/kit";

type Environment = Readonly<Record<string, string | undefined>>;
type Options = Readonly<Record<string, FlagValue>>;

/**
 * Folders that Codex shares with its other processes: links to the sockets of its background server, the program of that
 * server, programs on the PATH of commands, and scripts that run before each command.
 */
const sharedFolders = [
  "app-server-control",
  "app-server-daemon",
  "packages/app-server-daemon",
  "shell_snapshots",
  "tmp",
];

/** What makes Codex run programs or stop asking, in all workspaces and outside of a sandbox. */
const ownPrograms = ["config.toml", "hooks.json", "rules", "prompts", "plugins"];

/** The oldest version whose built-in provider was seen to use `openai_base_url`. */
const hasBaseUrlSetting = "0.164.0";
const providerUrlSetting = /^model_providers\.[\w-]+\.base_url$/;
/** Settings of a provider that contain no credential. */
const harmlessProviderSetting =
  /^model_providers\.[\w-]+\.(?:base_url|env_key|name|supports_websockets|wire_api|\w+_max_retries|\w+_timeout_ms)$/;
/** A line of a configuration file that chooses another provider or another URL. */
const choosesService = /^[^#\n]*\b(?:model_provider|openai_base_url)\b/m;

/** Returns the folder of Codex's own files. */
export function codexFolder(environment: Environment): string {
  return absoluteFolder(environment["CODEX_HOME"], `${userFolders(environment).home}/.codex`);
}

/** What Codex needs in a sandbox, in all its protocols. */
export function findCodexNeeds({ probeResult }: Opening, options: Options, environment: Environment): AgentNeeds {
  const configuredUrls = Object.entries(options).filter(([name]) => name.endsWith("base_url"));
  const folder = codexFolder(environment);
  const writes = [`${folder}/`, `${absoluteFolder(environment["CODEX_SQLITE_HOME"], folder)}/`];
  const isOld = probeResult.version === null || isOlderVersion(probeResult.version, hasBaseUrlSetting);
  const credential = isOld ? null : findCodexCredential(options, environment);
  return {
    writes: withoutHome(environment, [...new Set(writes)]),
    reads: ownPrograms.map((name) => `${folder}/${name}`),
    hides: sharedFolders.map((name) => `${folder}/${name}/`),
    protects: [".codex/config.toml", ".codex/hooks.json"],
    // Its modes are sandboxes, in which it runs the commands that it does not ask about.
    nests: true,
    hosts: ["api.openai.com", "chatgpt.com", "auth.openai.com"],
    refusedHosts: ["ab.chatgpt.com"],
    // It looks for plugins and for a newer version.
    backgroundHosts: ["github.com", "api.github.com"],
    // Not those in `config.toml`, which Codex can write.
    services: [environment["OPENAI_BASE_URL"] ?? [], ...configuredUrls.map(([, url]) => String(url))].flat(),
    ...(credential !== null && { credential }),
  };
}

/**
 * The key of the built-in provider, or of one that the settings define. Codex refuses to continue a conversation with a
 * provider of another name. So behind a gate it has the same provider, at another URL.
 */
function findCodexCredential(options: Options, environment: Environment): AgentCredential | null {
  // A profile of `config.toml` can choose another provider, and the token is a login.
  const service = "profile" in options || environment["CODEX_ACCESS_TOKEN"] ? null : findService(options, environment);
  if (service === null || !environment[service.variable] || !isPlainUrl(service.url)) return null;
  return { ...service, url: service.url, header: "authorization", prefix: "Bearer " };
}

type Service = Pick<AgentCredential, "variable" | "variables" | "unless"> & { readonly url: FlagValue | undefined };

function findService(options: Options, environment: Environment): Service | null {
  const provider = String(options["model_provider"] ?? "openai");
  const definitions = Object.keys(options).filter((name) => name.startsWith("model_providers."));
  if (provider === "openai") return definitions.length === 0 ? findBuiltInService(options, environment) : null;
  const prefix = `model_providers.${provider}.`;
  const variable = options[`${prefix}env_key`];
  const isKnown = definitions.every((name) => name.startsWith(prefix) && harmlessProviderSetting.test(name));
  if (!isKnown || typeof variable !== "string") return null;
  return { variable, url: options[`${prefix}base_url`], variables: (_, key) => ({ [variable]: key }) };
}

/**
 * Codex 0.164 to 0.166 ignore `OPENAI_BASE_URL`, and only `codex exec` reads a key from the environment. But a key must not
 * be sent to another service than the one that it was set for.
 */
function findBuiltInService(options: Options, environment: Environment): Service {
  const folder = codexFolder(environment);
  const configurations = ["/etc/codex/managed_config.toml", "/etc/codex/config.toml", `${folder}/config.toml`];
  return {
    variable: environment["CODEX_API_KEY"] ? "CODEX_API_KEY" : "OPENAI_API_KEY",
    url: options["openai_base_url"] ?? (environment["OPENAI_BASE_URL"] || "https://api.openai.com/v1"),
    variables: (url, key) => ({
      // The terminal offers it to sign in with.
      OPENAI_API_KEY: key,
      CODEX_API_KEY: environment["CODEX_API_KEY"] ? key : null,
      OPENAI_BASE_URL: url,
    }),
    unless: [{ path: `${folder}/auth.json` }, ...configurations.map((path) => ({ path, pattern: choosesService }))],
  };
}

/** Whether the gate can serve a URL: one without a password or a query. */
function isPlainUrl(text: FlagValue | undefined): text is string {
  const url = typeof text === "string" ? URL.parse(text) : null;
  return (
    url !== null && /^https?:$/.test(url.protocol) && `${url.username}${url.password}${url.search}${url.hash}` === ""
  );
}

/** The settings of a Codex whose key is withheld, and which finds its service at the gate. */
export function findCodexGateSettings({ sandbox }: Opening, options: Options): Record<string, string> {
  const endpoint = sandbox?.network === "gate" ? sandbox.gate?.endpoint : undefined;
  if (endpoint === undefined) return {};
  const setting = Object.keys(options).find((name) => providerUrlSetting.test(name)) ?? "openai_base_url";
  return { [setting]: endpointUrl(endpoint) };
}

/**
 * The settings of its terminal. With the built-in provider and no login, it asks how to sign in. It must offer only the key
 * that stands in for the withheld one, and must not store it: that would be the login of all later sessions.
 */
export function findCodexTerminalSettings(opening: Opening, options: Options): Record<string, string> {
  const settings = findCodexGateSettings(opening, options);
  const asks = "openai_base_url" in settings;
  return { ...settings, ...(asks && { forced_login_method: "api", cli_auth_credentials_store: "ephemeral" }) };
}
