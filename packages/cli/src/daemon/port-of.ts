import { WrongUse } from "../wrong-use.ts";

/** The port of `host:port` or of a port alone. Others than this machine are not listened to: a tunnel is for that. */
export function portOf(listen: string): number {
  const [, host = "127.0.0.1", port = ""] = /^(?:(.+):)?(\d{1,5})$/.exec(listen) ?? [];
  if (port === "" || Number(port) > 65_535) {
    throw new WrongUse(`"${listen}" is no place to listen at.`, "fairlead up --listen 127.0.0.1:4747");
  }
  if (host !== "127.0.0.1" && host !== "localhost") {
    throw new WrongUse(
      `Fairlead listens at 127.0.0.1 alone, and not at ${host}. For others, use a tunnel, as \`ssh -L\` makes one.`,
      `fairlead up --listen 127.0.0.1:${port}`,
    );
  }
  return Number(port);
}
