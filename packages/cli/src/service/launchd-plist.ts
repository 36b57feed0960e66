import type { Service } from "./service.ts";

export const launchdLabel = "dev.fairlead.daemon";

/** The daemon as an agent of launchd: the text of `~/Library/LaunchAgents/dev.fairlead.daemon.plist`. */
export function launchdPlist({ command, environment, log }: Service): string {
  const words = command.map((word) => `    ${string(word)}\n`).join("");
  const variables = Object.entries(environment).map(
    ([name, value]) => `    <key>${escaped(name)}</key>\n    ${string(value)}\n`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  ${string(launchdLabel)}
  <key>ProgramArguments</key>
  <array>
${words}  </array>
  <key>EnvironmentVariables</key>
  <dict>
${variables.join("")}  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <!-- Keepers hold the agents and live on: only the daemon itself is ended. -->
  <key>AbandonProcessGroup</key>
  <true/>
  <key>StandardOutPath</key>
  ${string(log)}
  <key>StandardErrorPath</key>
  ${string(log)}
</dict>
</plist>
`;
}

function string(text: string): string {
  return `<string>${escaped(text)}</string>`;
}

/** The ampersand by number: by name it is also that of an agent, which only adapters may say. */
function escaped(text: string): string {
  return text.replaceAll("&", "&#38;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
