import { existsSync } from "node:fs";
import { homedir, hostname } from "node:os";
import type { Manifest, Sandbox } from "@fairlead/contract";
import type { Mask, SecretValues } from "@fairlead/keeper";
import { buildChildEnvironment, type Environment } from "../host/child-environment.ts";
import { localUserName } from "../host/local-user-name.ts";
import { MaskFactory } from "./create-masks.ts";
import { selectSecrets, type NamedText } from "./select-secrets.ts";
import { readMaskKey } from "./mask-key.ts";

/** Variables of every process that can contain a password. */
const proxyVariables: ReadonlySet<string> = new Set(["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"]);

/** What a session's processes know that must not be stored. */
export interface SessionSecretSources {
  readonly manifest: Manifest;
  readonly environment: Environment;
  /** Reads the text of secret settings, by reference. */
  readonly secrets: () => SecretValues;
  /** Keys that the agent does not have. Their masks are never turned back. */
  readonly withheld: readonly string[];
}

/** Finds the key that the gate of a sandbox inserts, so that the agent does not have it. */
export function findWithheldKeys(sandbox: Sandbox | undefined, environment: Environment): readonly string[] {
  const endpoint = sandbox?.network === "gate" ? sandbox.gate?.endpoint : undefined;
  const key = endpoint && environment[endpoint.variable];
  return key === undefined ? [] : [key];
}

/** Creates the masks of sessions in one data directory. */
export class SessionMasks {
  readonly #keyFile: string;
  #factory: MaskFactory | undefined;

  constructor(keyFile: string) {
    this.#keyFile = keyFile;
  }

  create({ manifest, environment, secrets, withheld }: SessionSecretSources): readonly Mask[] {
    const found = selectSecrets(
      [...listVariables(manifest, environment), ...listSettings(readIfPossible(secrets))],
      listOrdinaryTexts(environment),
      existsSync,
    );
    return found.length === 0 && withheld.length === 0 ? [] : this.#create(found, withheld);
  }

  /** Whether a text contains the mask of a withheld key. */
  containsWithheld(text: string, withheld: readonly string[]): boolean {
    return withheld.length > 0 && this.#create([], withheld).some(({ mask }) => text.includes(mask));
  }

  #create(secrets: readonly string[], withheld: readonly string[]): readonly Mask[] {
    this.#factory ??= new MaskFactory(readMaskKey(this.#keyFile));
    return this.#factory.create(secrets, withheld);
  }
}

function listVariables(manifest: Manifest, environment: Environment): NamedText[] {
  const base = buildChildEnvironment(environment, [], {});
  const passed = Object.entries(buildChildEnvironment(environment, manifest.environment, {}));
  return passed.filter(([name]) => !Object.hasOwn(base, name) || proxyVariables.has(name));
}

/** A session whose file is damaged cannot launch its agent, but can be ended. */
function readIfPossible(secrets: () => SecretValues): SecretValues {
  try {
    return secrets();
  } catch {
    return {};
  }
}

/** The name of a setting is the last part of its reference. */
function listSettings(secrets: SecretValues): NamedText[] {
  return Object.entries(secrets).map(([reference, text]) => [reference.slice(reference.indexOf("/") + 1), text]);
}

/** A setting such as `env_key` has the name of a variable. Masked, the sandbox would not find the variable. */
function listOrdinaryTexts(environment: Environment): ReadonlySet<string> {
  const { USER, LOGNAME, HOME } = environment;
  const texts = [USER, LOGNAME, HOME, homedir(), hostname(), localUserName(), ...Object.keys(environment)];
  return new Set(texts.filter((one) => one !== undefined));
}
