import type { Dialect, LaunchCommand } from "./dialect.ts";
import type { Manifest } from "./manifest.ts";
import type { ProbeResult, Opening } from "./opening.ts";

/** The operations that a probe may use on the machine: look up, and run `--help`. Tests pass a fake. */
export interface ProbeHost {
  /** Path of a program, resolved as the user's shell resolves it, or null. */
  find(program: string): Promise<string | null>;
  /** Runs a program to its end, with a deadline and no input. Never throws: a failure returns a nonzero code. */
  run(program: string, args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }>;
  /** Whether an environment variable is set. Does not return the value, which may be a secret. */
  hasVariable(variable: string): boolean;
  /** Whether a file exists; `~` is the user's home. */
  exists(path: string): Promise<boolean>;
}

/** How the runtime holds one conversation with an agent: dialect, protocol and process lifetime. */
export interface Conversation<State = unknown> {
  /** `session`: one process for many turns. `turn`: one process per turn. */
  readonly processLifetime: "session" | "turn";
  /** The adapter's name for the protocol that the dialect uses: the best one that the probe result allows. */
  readonly protocol: string;
  readonly dialect: Dialect<State>;
  /** Set if the output is text and not messages: the dialect also observes empty lines, which otherwise mean nothing. */
  readonly observesEmptyLines?: true;
}

/** A conversation that a person continues in the agent's own terminal. */
export interface TerminalConversation {
  readonly opening: Opening;
  readonly agentSessionId: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** When the person took over. */
  readonly since: Date;
}

/** Where an agent keeps its transcripts, one append-only file of lines per conversation. */
export interface TranscriptLocation {
  /** Folders that may contain the file. */
  readonly folders: readonly string[];
  /** Matches the names of transcripts. Its first group is the agent's id of the conversation. */
  readonly fileName: RegExp;
}

/** Files in one folder of an agent's memory. */
export interface MemoryFiles {
  /** The folder, relative to that of the memory, with `/` between names. Empty: that folder. */
  readonly folder: string;
  /** The name of one file, or a pattern that matches whole names. A name of a file of another conversation must not match. */
  readonly name: string | RegExp;
  /** The agent can resume the conversation without them. The runtime leaves those out that are too large. */
  readonly optional?: true;
  /**
   * Matches the first characters of a file that is of no use without files of another conversation, for example of the one
   * that was forked. The runtime then stores nothing.
   */
  readonly needsOthers?: RegExp;
}

/**
 * The files in which an agent keeps one conversation. They are all that the agent needs to resume it on another machine, in
 * the same workspace. The runtime stores regular files only.
 */
export interface AgentMemory {
  /** The folder of the agent's own files. Absolute. The runtime follows links that lead to it, and none below it. */
  readonly root: string;
  /** The folder below the root that contains all files. It may depend on the machine or the workspace. Empty: the root. */
  readonly folder: string;
  readonly files: readonly MemoryFiles[];
}

/** A file in which an agent finds another credential, or a choice of another service. */
export interface CredentialFile {
  /** Its absolute path. */
  readonly path: string;
  /** Matches the text of a file that does so. Without it, every file at the path does. */
  readonly pattern?: RegExp;
}

/** How an agent gets the key of its service. */
export interface AgentCredential {
  /** The variable of the environment that contains the key. */
  readonly variable: string;
  /** The URL of the service to which the key belongs. */
  readonly url: string;
  /** The header that contains the key, in lower case, and the text before it, such as `Bearer `. */
  readonly header: string;
  readonly prefix: string;
  /** Returns the agent's variables if its service is at another URL and its key is another. Null removes a variable. */
  readonly variables: (url: string, key: string) => Readonly<Record<string, string | null>>;
  /** The agent does not use the key if one of these files says so. The runtime then withholds nothing. */
  readonly unless?: readonly CredentialFile[];
}

/**
 * What an agent needs of the machine that its sandbox would otherwise forbid, and what it must not reach. In `writes` and
 * `hides`, a path that ends with `/` is a folder. The runtime creates a missing one with mode 0700 before it starts the
 * agent, because nothing can be mounted at a missing path, and what the agent creates in its empty home is discarded. Any
 * other path is used only if it exists.
 */
export interface AgentNeeds {
  /**
   * The agent's own files and folders, which it writes. Absolute paths. Other agents do not see them. The agent can change
   * the content of a file here, but not replace or delete it. For a file that the agent replaces, its folder must be here.
   */
  readonly writes: readonly string[];
  /** Files and folders that the agent reads and does not write, such as its settings. Absolute paths. */
  readonly reads?: readonly string[];
  /**
   * Paths of the agent's own that lead out of the sandbox, such as the socket of its daemon, or scripts that its other
   * sessions run. Absolute. A folder is empty for the agent, and what it writes there is discarded.
   */
  readonly hides: readonly string[];
  /**
   * The hosts of the agent's service, which it can reach through a gate: exact names, with a port or for the ports 80 and
   * 443. Those of a configured service are in `services`.
   */
  readonly hosts?: readonly string[];
  /** Hosts that are refused without a question, such as those of telemetry: the agent works without them. */
  readonly refusedHosts?: readonly string[];
  /** Hosts that the agent's program also contacts on its own. They are refused without a question while no call runs. */
  readonly backgroundHosts?: readonly string[];
  /**
   * URLs at which the settings or the environment say that the agent's service is. They may be on this machine or in a
   * private network. Not from a file that the agent can write: it could open the gate for itself.
   */
  readonly services?: readonly string[];
  /** The key of the agent's service, if it has one and the agent can use another URL. A gate can then withhold it. */
  readonly credential?: AgentCredential;
  /** Whether the agent runs commands in a sandbox of its own, and cannot without. It can then move protected files away. */
  readonly nests?: boolean;
  /** Files of a workspace that can make the agent run something, relative to it. No agent can change them. */
  readonly protects: readonly string[];
}

/** Integration of one agent. An adapter describes and computes; the runtime performs all effects. */
export interface Adapter<State = unknown> {
  readonly manifest: Manifest;
  /** Checks whether the agent is installed, its version, flags and sign-in, and lists problems. Fast; never throws. */
  probe(host: ProbeHost): Promise<ProbeResult>;
  /**
   * Path of the agent's own transcript of a conversation, for agents whose transcript is append-only. The runtime
   * fingerprints the file before and after a resume to prove that the agent continued from it. Pure.
   */
  transcriptPath?(
    opening: Opening,
    agentSessionId: string,
    environment: Readonly<Record<string, string | undefined>>,
  ): string;
  /**
   * The files in which the agent keeps a conversation, on the machine of that environment. Null if they are unknown. An
   * agent that keeps all conversations in one database has no such method: another machine then cannot continue them from
   * the agent's memory. Pure.
   */
  memory?(
    opening: Opening,
    agentSessionId: string,
    environment: Readonly<Record<string, string | undefined>>,
  ): AgentMemory | null;
  /**
   * Where the agent's own transcript of a conversation is while a person uses its terminal, or null if that is unknown.
   * Needed for the capability `recorded-take-over`, together with the dialect's `readTranscript`. Pure.
   */
  terminalTranscript?(conversation: TerminalConversation): TranscriptLocation | null;
  /**
   * Command that opens the agent's own terminal on a conversation, so that a person can take over. An adapter without
   * it does not support take-over. Mode and settings apply there as far as the agent supports them. Pure.
   */
  terminalCommand?(opening: Opening, agentSessionId: string): LaunchCommand;
  /**
   * What the agent needs in a sandbox. `environment` is the one that its process gets. An adapter without it has an agent
   * that writes only to the workspace. Pure.
   */
  needs?(opening: Opening, environment: Readonly<Record<string, string | undefined>>): AgentNeeds;
  /** Pure: the same opening returns the same conversation, also when the runtime replays an old spool. */
  open(opening: Opening): Conversation<State>;
}
