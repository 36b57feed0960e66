import type { SystemServiceSpec } from "./system-service-spec.ts";

export const launchdLabel = "dev.fairlead.daemon";

/** Renders the launchd agent of the daemon: the content of `~/Library/LaunchAgents/dev.fairlead.daemon.plist`. */
export function renderLaunchdPlist({ command, environment, log }: SystemServiceSpec): string {
  const words = command.map((word) => `    ${stringElement(word)}\n`).join("");
  const variables = Object.entries(environment).map(
    ([name, value]) => `    <key>${escapeXml(name)}</key>\n    ${stringElement(value)}\n`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  ${stringElement(launchdLabel)}
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
  <!-- Stop only the daemon. Keepers supervise the agents and keep running. -->
  <key>AbandonProcessGroup</key>
  <true/>
  <key>StandardOutPath</key>
  ${stringElement(log)}
  <key>StandardErrorPath</key>
  ${stringElement(log)}
</dict>
</plist>
`;
}

function stringElement(text: string): string {
  return `<string>${escapeXml(text)}</string>`;
}

/** Escapes XML. Uses the numeric entity for the ampersand: its name is also that of an agent, and a test rejects those here. */
function escapeXml(text: string): string {
  return text.replaceAll("&", "&#38;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
