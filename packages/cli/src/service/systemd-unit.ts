import type { Service } from "./service.ts";

/** The daemon as a service of the user's systemd: the text of `~/.config/systemd/user/fairlead.service`. */
export function systemdUnit({ command, environment }: Service): string {
  const variables = Object.entries(environment).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`);
  return `[Unit]
Description=Fairlead, one contract for every coding agent

[Service]
ExecStart=${command.map(argument).join(" ")}
${variables.map((line) => `${line}\n`).join("")}Restart=on-failure
RestartSec=1
# Keepers hold the agents and live on: only the daemon itself is ended.
KillMode=process

[Install]
WantedBy=default.target
`;
}

/** In a command a dollar begins a variable as well. */
function argument(word: string): string {
  return quoted(word).replaceAll("$", "$$$$");
}

/** As systemd reads it: quotes and backslashes as in C, and a percent sign begins a specifier. */
function quoted(word: string): string {
  if (/[\n\r\0]/.test(word)) throw new Error("A unit cannot hold a line break in a word.");
  return `"${word.replaceAll(/["\\]/g, "\\$&").replaceAll("%", "%%")}"`;
}
