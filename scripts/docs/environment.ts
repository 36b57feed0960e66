import { defaultAgentId } from "@fairlead/adapters";
import { code } from "./markdown-table.ts";

/** An environment variable that the program reads, or that it sets for agents. */
export interface EnvironmentVariable {
  /** The process that reads it, or the agent that gets it. */
  readonly who: string;
  /** Empty if there is none. */
  readonly defaultValue?: string;
  readonly meaning: string;
  /** The library that reads it. Without one, the program's own sources must read the variable. */
  readonly library?: string;
}

type VariableList = Readonly<Record<string, EnvironmentVariable>>;

const otlp = "@opentelemetry/otlp-exporter-base";
const traces = (meaning: string): EnvironmentVariable => ({ who: "daemon", meaning, library: otlp });

/** The variables that a person may set. A test compares them with the variables that the sources read. */
export const userVariables: VariableList = {
  FAIRLEAD_HOME: { who: "command, daemon", defaultValue: "`~/.fairlead`", meaning: "The data directory." },
  GITHUB_TOKEN: {
    who: "daemon",
    meaning: "The token with which the foreman makes pull requests. No agent gets it.",
  },
  FAIRLEAD_AGENT: {
    who: "command",
    defaultValue: code(defaultAgentId),
    meaning: "The agent, if neither the command line nor `fairlead.yaml` names one.",
  },
  FAIRLEAD_MODEL: {
    who: "command",
    meaning: "The model, if neither the command line nor `fairlead.yaml` names one.",
  },
  FAIRLEAD_DAEMON: { who: "command", meaning: "`off` runs the command in its own process, without a daemon." },
  FAIRLEAD_URL: {
    who: "command",
    meaning: "The URL of a service on another machine, which commands use instead of the daemon here.",
  },
  FAIRLEAD_TOKEN: { who: "command", meaning: "The token for `FAIRLEAD_URL`." },
  FAIRLEAD_TOKEN_FILE: { who: "command", meaning: "A file with the token, if `FAIRLEAD_TOKEN` is not set." },
  FAIRLEAD_CA: {
    who: "command",
    defaultValue: "the authorities that Node trusts",
    meaning: "A file with the certificates of the authorities to trust for `FAIRLEAD_URL`, in PEM.",
  },
  FAIRLEAD_DEBUG: { who: "command", meaning: "Any value but the empty one also prints the stack of an error." },
  NO_COLOR: { who: "command", meaning: "Any value but the empty one turns colors off." },
  DISPLAY: { who: "command", meaning: "Set by the desktop. Without it, `fairlead open` prints the address." },
  WAYLAND_DISPLAY: { who: "command", meaning: "As `DISPLAY`." },
  SSH_CONNECTION: { who: "command", meaning: "Set by SSH. With it, `fairlead open` prints the address." },
  WSL_DISTRO_NAME: { who: "command", meaning: "Set by WSL. With it, `fairlead open` uses the browser of Windows." },
  TERM: { who: "command, agents", meaning: "`dumb` turns colors off." },
  VISUAL: { who: "command", meaning: "The editor in which you edit the input of a tool call before you allow it." },
  EDITOR: { who: "command", meaning: "The editor, if `VISUAL` is not set. Without either, you edit in the prompt." },
  FAIRLEAD_SHIM_TOKEN: {
    who: "`fairlead shim`",
    defaultValue: "a random one, which the command prints",
    meaning: "The token that each request to the shim's port needs.",
  },
  AGENT_PORT: { who: "`fairlead shim`", defaultValue: "`9100`", meaning: "The port, if there is no `--port`." },
  XDG_CACHE_HOME: {
    who: "command, daemon",
    defaultValue: "`~/.cache`",
    meaning: "Compiled code is in `fairlead` in this folder.",
  },
  XDG_CONFIG_HOME: {
    who: "`fairlead up --install`",
    defaultValue: "`~/.config`",
    meaning: "The service file of systemd is in `systemd/user` in this folder.",
  },
  XDG_DATA_HOME: {
    who: "daemon, agents",
    defaultValue: "`~/.local/share`",
    meaning: "An agent that keeps its files in a folder of its own in this one may write there in a sandbox.",
  },
  XDG_STATE_HOME: {
    who: "agents `scripted` and `openai-api`",
    defaultValue: "`~/.local/state`",
    meaning: "Their conversations are in `fairlead-scripted` and `fairlead-openai` in this folder.",
  },
  HOME: { who: "all", meaning: "The home directory, in which the defaults above and the agents' logins are." },
  PATH: { who: "all", meaning: "The folders of the agents' programs, and of `git`, `bash` and `bwrap`." },
  TMPDIR: {
    who: "command, daemon",
    defaultValue: "`/tmp`",
    meaning: "The folder for temporary files.",
    library: "node:os",
  },
  FAIRLEAD_LOG: {
    who: "daemon",
    defaultValue: "`info`",
    meaning: "The log level: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`.",
  },
  FAIRLEAD_LOG_CONTENT: {
    who: "daemon",
    meaning: "`1` or `true` also logs the content of events: prompts, answers, tool input and output.",
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    who: "daemon",
    meaning: "The receiver of traces. Fairlead appends `/v1/traces`. Without a receiver there are no traces.",
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    who: "daemon",
    meaning: "The complete URL for traces. It takes precedence over `OTEL_EXPORTER_OTLP_ENDPOINT`.",
  },
  OTEL_SERVICE_NAME: { who: "daemon", defaultValue: "`fairlead`", meaning: "The attribute `service.name` of traces." },
  OTEL_SDK_DISABLED: { who: "daemon", meaning: "`1` or `true` turns traces off." },
  FAIRLEAD_OTEL_CONTENT: { who: "daemon", meaning: "`1` or `true` adds prompts and agent output to traces." },
  OTEL_EXPORTER_OTLP_HEADERS: traces("Headers of the requests to the receiver, as `name=value,…`."),
  OTEL_EXPORTER_OTLP_TIMEOUT: traces("The time limit of a request to the receiver, in ms."),
  OTEL_EXPORTER_OTLP_COMPRESSION: traces("`gzip` compresses the requests to the receiver."),
  OTEL_EXPORTER_OTLP_CERTIFICATE: traces("A file with the certificate that the receiver must have."),
  OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: traces("A file with the certificate that the exporter presents."),
  OTEL_EXPORTER_OTLP_CLIENT_KEY: traces("A file with the key of the exporter's certificate."),
  FAIRLEAD_CONTAINMENT: {
    who: "keeper, from the daemon",
    meaning: "`descendants` turns namespaces off. The keeper then finds an agent's processes by their parents.",
  },
  FAIRLEAD_UNATTENDED: {
    who: "keeper, from the host",
    meaning:
      "Milliseconds from the start of an agent until it is stopped and until it is ended, as `12000,18000`, unless the host sets later deadlines. A host of a fleet sets the variable for its keepers.",
  },
  FAIRLEAD_SPOOL_BYTES: {
    who: "keeper, from the daemon",
    defaultValue: "1 GiB",
    meaning: "The limit of a session's spool, in bytes. Trimmed parts do not count.",
  },
  FAIRLEAD_LEASE_MS: {
    who: "keeper, from the daemon",
    defaultValue: "15 minutes",
    meaning: "How long an agent keeps running without output and without a daemon, in ms.",
  },
  FAIRLEAD_KEEPER_TIMEOUT_MS: {
    who: "daemon",
    defaultValue: "10 seconds",
    meaning:
      "How long a keeper may take to answer the daemon, in ms. Then the daemon reports that it does not respond.",
  },
  CLAUDE_CONFIG_DIR: {
    who: "daemon, agent `claude-code`",
    defaultValue: "`~/.claude`",
    meaning: "The folder of Claude Code's transcripts, which the daemon compares after a resume.",
  },
  CODEX_HOME: {
    who: "daemon, agents `codex` and `codex-exec`",
    defaultValue: "`~/.codex`",
    meaning: "The folder of Codex's transcripts, from which the daemon records what a person did in its terminal.",
  },
  CLAUDE_SECURESTORAGE_CONFIG_DIR: {
    who: "daemon, agent `claude-code`",
    defaultValue: "that of `CLAUDE_CONFIG_DIR`",
    meaning: "The folder of Claude Code's credentials, which it may write in a sandbox.",
  },
  CODEX_SQLITE_HOME: {
    who: "daemon, agents `codex` and `codex-exec`",
    defaultValue: "that of `CODEX_HOME`",
    meaning: "The folder of Codex's databases, which it may write in a sandbox.",
  },
  GEMINI_CLI_HOME: {
    who: "daemon, agent `gemini-cli`",
    defaultValue: "`~`",
    meaning: "Gemini CLI's own files, which it may write in a sandbox, are in `.gemini` in this folder.",
  },
  OPENCLAW_HOME: {
    who: "daemon, agent `openclaw`",
    defaultValue: "`~`",
    meaning: "OpenClaw's own files are in `.openclaw` in this folder.",
  },
  OPENCLAW_STATE_DIR: {
    who: "daemon, agent `openclaw`",
    defaultValue: "`.openclaw` in that of `OPENCLAW_HOME`",
    meaning: "The folder of OpenClaw's own files. Its sockets are hidden in a sandbox.",
  },
  OPENAI_API_KEY: {
    who: "daemon, agents `openai-api`, `codex` and `codex-exec`",
    meaning:
      "The API key. Behind a gate, the agent gets another, and the gate inserts this one. " +
      "Codex itself does not read it: without a gate, run `codex login`.",
  },
  CODEX_API_KEY: {
    who: "daemon, agents `codex` and `codex-exec`",
    defaultValue: "that of `OPENAI_API_KEY`",
    meaning:
      "The API key. Behind a gate, the agent gets another, and the gate inserts this one. Without a gate, only `codex-exec` uses it.",
  },
  CODEX_ACCESS_TOKEN: {
    who: "daemon, agents `codex` and `codex-exec`",
    meaning: "A login. If it is set, the gate withholds no key.",
  },
  AMP_URL: { who: "daemon, agent `amp`", meaning: "The URL of Amp's service, which it can reach behind a gate." },
  ANTHROPIC_API_KEY: {
    who: "daemon, agent `claude-code`",
    meaning: "The API key. Behind a gate, the agent gets another, and the gate inserts this one.",
  },
  ANTHROPIC_AUTH_TOKEN: {
    who: "daemon, agent `claude-code`",
    meaning: "A token instead of the key.",
  },
  ANTHROPIC_BASE_URL: {
    who: "daemon, agents `claude-code` and `openclaw`",
    meaning: "The URL of the service, which they can reach behind a gate.",
  },
  AWS_REGION: {
    who: "daemon, agent `claude-code`",
    meaning: "The region of the service, for the hosts behind a gate.",
  },
  CLAUDE_CODE_USE_BEDROCK: {
    who: "daemon, agent `claude-code`",
    meaning: "Whether the service is Amazon's, for the hosts behind a gate.",
  },
  CLAUDE_CODE_USE_VERTEX: {
    who: "daemon, agent `claude-code`",
    meaning: "Whether the service is Google's, for the hosts behind a gate.",
  },
  CLOUD_ML_REGION: {
    who: "daemon, agent `claude-code`",
    meaning: "The region of Google's service, for the hosts behind a gate.",
  },
  LOGNAME: {
    who: "daemon",
    meaning: "The user's name. It is not masked, even if a secret variable has the same value.",
  },
  NODE_EXTRA_CA_CERTS: {
    who: "daemon, all agents",
    meaning: "Certificates of your own. Agents in a sandbox see the file, and their key is not withheld.",
  },
  SSL_CERT_FILE: { who: "daemon, all agents", meaning: "The same, for programs that are not Node's." },
  USER: { who: "daemon", meaning: "The same as `LOGNAME`." },
  OPENAI_BASE_URL: {
    who: "daemon, agents `openai-api`, `codex` and `codex-exec`",
    defaultValue: "OpenAI's API",
    meaning: "The URL of the API. Codex uses it only behind a gate that withholds its key.",
  },
  OPENAI_MODEL: { who: "agent `openai-api`", defaultValue: "`gpt-4o`", meaning: "The model, if no setting names one." },
  OPENAI_ORG_ID: { who: "agent `openai-api`", meaning: "The organization of the requests.", library: "openai" },
  OPENAI_PROJECT_ID: { who: "agent `openai-api`", meaning: "The project of the requests.", library: "openai" },
};

/** The variables that Fairlead sets for agents, in addition to those that it passes on. */
export const agentVariables: VariableList = {
  FAIRLEAD_SESSION: { who: "all agents", meaning: "The id of the session." },
  FAIRLEAD_PROCESS: { who: "all agents", meaning: "The number of the process in its session, from 1." },
  FAIRLEAD_KEEPER: {
    who: "all agents",
    meaning: "The process id of the keeper. With the two above, the keeper finds processes that it must end.",
  },
  PWD: { who: "all agents", meaning: "The workspace." },
  SHELL: { who: "all agents", meaning: "Always `/bin/bash`: a person who approves a command reads it as bash." },
  NO_COLOR: { who: "`codex`, `codex-exec`", meaning: "`1`, so that the output has no escape sequences." },
  CLAUDE_CODE_MAX_RETRIES: { who: "`claude-code`", meaning: "The number of retries that fits `retryDeadline`." },
  GEMINI_CLI_NO_RELAUNCH: {
    who: "`gemini-cli`",
    meaning: "`true`, so that the program does not start itself a second time.",
  },
  AMP_SKIP_UPDATE_CHECK: { who: "`amp`", meaning: "`1`, so that the program does not look for updates." },
  OPENCODE_CONFIG_CONTENT: { who: "`opencode`", meaning: "The configuration: the settings and the mode." },
  npm_config_fetch_retries: {
    who: "`opencode`",
    meaning: "`0`, so that loading a plugin does not wait for the npm registry. Removed before tools run.",
  },
  npm_config_fetch_timeout: { who: "`opencode`", meaning: "`5000`, for the same reason." },
};

/** The variables for tests, proofs and the work on this repository. */
export const internalVariables: VariableList = {
  NODE_CHANNEL_FD: { who: "keeper", meaning: "Node's channel to the program that opens a gate, which removes it." },
  NODE_CHANNEL_SERIALIZATION_MODE: { who: "keeper", meaning: "The form of that channel's messages." },
  FAIRLEAD_AGENT_VERSIONS: {
    who: "`fairlead drift`, the judge",
    meaning: "The versions of agents to run, as `id=version,…`. `drift` sets it for its processes.",
  },
  FAIRLEAD_VERSION_FOR_TEST: { who: "command, daemon", meaning: "The version to report, for tests of an upgrade." },
  FAIRLEAD_SEED: { who: "`npm run claims`", meaning: "The seed of a proof, to repeat it." },
  FAIRLEAD_SIZE: { who: "`npm run claims`", meaning: "A smaller size of a proof, as `sessions=5,lines=100`." },
  FAIRLEAD_PARTS: { who: "`npm run claims`", meaning: "The parts of a proof that are run, as `history` for `flat`." },
  LANG: { who: "`fairlead drift`, the judge", defaultValue: "`C.UTF-8`", meaning: "The locale of the agents." },
};
