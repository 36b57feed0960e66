/** Variables that every program needs. An agent gets other variables only if its manifest names them. */
const baseVariables = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "LANG",
  "LC_*",
  "TZ",
  "TMPDIR",
  "TERM",
  "HTTP_PROXY",
  "HTTPS_PROXY",
];
const networkVariables = ["NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"];

export type Environment = Readonly<Record<string, string | undefined>>;

/** Builds the environment of an agent from a list of allowed variables. A list of forbidden ones would miss some. */
export function buildChildEnvironment(
  parentEnvironment: Environment,
  allowedNames: readonly string[],
  extra: Readonly<Record<string, string>>,
): Record<string, string> {
  const patterns = [...baseVariables, ...networkVariables, ...allowedNames];
  const child: Record<string, string> = {};
  for (const [name, value] of Object.entries(parentEnvironment)) {
    if (value !== undefined && patterns.some((pattern) => matchesPattern(pattern, name))) child[name] = value;
  }
  // Other shells can run code that a person who approves a command does not see in it.
  return { ...child, SHELL: "/bin/bash", ...extra };
}

function matchesPattern(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
}
