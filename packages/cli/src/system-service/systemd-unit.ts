import type { SystemServiceSpec } from "./system-service-spec.ts";

/** Renders the systemd user unit of the daemon: the content of `~/.config/systemd/user/fairlead.service`. */
export function renderSystemdUnit({ command, environment }: SystemServiceSpec): string {
  const variables = Object.entries(environment).map(([name, value]) => `Environment=${quoteWord(`${name}=${value}`)}`);
  return `[Unit]
Description=Fairlead daemon for coding agents

[Service]
ExecStart=${command.map(quoteArgument).join(" ")}
${variables.map((line) => `${line}\n`).join("")}Restart=on-failure
RestartSec=1
# Stop only the daemon. Keepers supervise the agents and keep running.
KillMode=process

[Install]
WantedBy=default.target
`;
}

/** Quotes a word of a command, in which a dollar sign would start a variable. */
function quoteArgument(word: string): string {
  return quoteWord(word).replaceAll("$", "$$$$");
}

/** Quotes a word for systemd: quotes and backslashes as in C, and a percent sign starts a specifier. */
function quoteWord(word: string): string {
  if (/[\n\r\0]/.test(word)) throw new Error("A systemd unit cannot contain a line break in a word.");
  return `"${word.replaceAll(/["\\]/g, "\\$&").replaceAll("%", "%%")}"`;
}
